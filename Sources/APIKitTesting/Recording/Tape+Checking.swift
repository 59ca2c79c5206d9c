import APIKit
import Foundation

extension Tape {
    /// The entries of equal requests, and the live entries of such requests.
    private struct Group {
        let form: CanonicalRequest
        let target: RequestTarget
        var indices: [Int]
        var live: [RecordedExchange] = []
    }

    /// Compares the live responses of a test with those that the file would have replayed.
    ///
    /// - Returns: A failure or a warning for each request whose response has changed, and a failure if
    ///   nothing was compared.
    func check(_ entries: [RecordedExchange]) -> [TestFailure] {
        var (issues, report) = ([TestFailure](), CheckReport())
        for group in groups(with: entries) { issues += check(group, of: entries, &report) }
        if report.hasComparedNothing {
            let summary = report.summary.first ?? "\(cassette.shownPath) has no entry of this test."
            issues.append(TestFailure("Nothing was compared. \(summary)", at: location))
        }
        return issues + publish(report)
    }

    /// Returns the entries by their requests, in the order in which they reply.
    ///
    /// If no key is equal, paths that differ only in identifiers match.
    private func groups(with entries: [RecordedExchange]) -> [Group] {
        var groups: [Group] = []
        for index in file.order {
            let form = keys.recorded[index]
            let target = RequestTarget(of: file.entries[index].request)
            if let equal = groups.firstIndex(where: { $0.form == form }) {
                groups[equal].indices.append(index)
            } else {
                groups.append(Group(form: form, target: target, indices: [index]))
            }
        }
        var others: [(entry: RecordedExchange, target: RequestTarget)] = []
        for live in entries {
            let form = keys.key(of: live.request)
            let target = RequestTarget(of: live.request)
            if let equal = groups.firstIndex(where: { $0.form == form }) {
                groups[equal].live.append(live)
            } else {
                others.append((live, target))
            }
        }
        for (live, target) in others {
            let similar = groups.indices.filter { target.isSimilar(to: groups[$0].target) }
            let free = similar.first { groups[$0].live.isEmpty } ?? similar.last
            if let free { groups[free].live.append(live) }
        }
        return groups
    }

    /// Compares the responses of equal requests, those to each request type with all recorded ones.
    ///
    /// Requests that poll a job can be fewer or more than in the recording.
    private func check(
        _ group: Group, of entries: [RecordedExchange], _ report: inout CheckReport
    ) -> [TestFailure] {
        let own = group.indices.filter { !file.isForeign($0) || !group.live.isEmpty }
        func skip(_ indices: [Int], _ reason: String) {
            for index in indices { report.skip(index, of: file, because: reason) }
        }
        guard !group.live.isEmpty else {
            skip(
                own,
                sends(group.target.method)
                    ? "not requested" : CheckReport.notSent(group.target.method))
            return []
        }
        var reason = ""
        let live = group.live.filter { live in
            let isKnown = group.indices.contains {
                file.entries[$0].response.status == live.response.status
            }
            if let error = live.response.error {
                reason = "no response: \(Redaction.secrets.masked(error))"
            } else if !isKnown, live.response.isTemporary {
                reason = "status \(live.response.status)"
            } else {
                return true
            }
            return false
        }
        guard !live.isEmpty else {
            skip(own, reason)
            return []
        }
        let statuses = Set(live.map(\.response.status))
        let usable = group.indices.filter { index in
            let response = file.entries[index].response
            return response.error == nil
                && (!response.isTemporary || statuses.contains(response.status))
        }
        skip(own.filter { !usable.contains($0) }, "was recorded with an error")
        guard !usable.isEmpty else { return [] }
        // A class of statuses has its own bodies, and a request type its own uses.
        let readers = live.map { ($0, target(of: $0, in: entries)) }
        let kinds = Dictionary(grouping: readers) {
            [$0.1.entry.response.kind, $0.1.reader?.type ?? ""]
        }
        return kinds.sorted { $0.key.joined() < $1.key.joined() }.compactMap { kind, pairs in
            let equal = usable.filter { file.entries[$0].response.kind == kind[0] }
            let indices = equal.isEmpty ? usable : equal
            let changes = ResponseChanges(
                from: indices.map { file.entries[$0].compared },
                to: pairs.map { $0.1.entry.compared }, readBy: pairs[0].1.reader,
                redirectedTo: pairs.last { $0.0.request.number != $0.1.entry.request.number }?
                    .1.entry.request.url.absoluteString)
            for index in indices {
                report.add(changes, since: index, of: file, readBy: pairs[0].1.reader?.type)
            }
            for remark in changes.remarks {
                Notice.write("\(cassette.shownPath), entry \(indices[0] + 1): \(remark)")
            }
            return issue(of: indices, pairs[pairs.count - 1].0, changes)
        }
    }

    /// Returns the last entry after the redirects of a live one, and the request type that has read it.
    ///
    /// A redirect of today counts only if the recording has none.
    private func target(
        of live: RecordedExchange, in entries: [RecordedExchange]
    ) -> (entry: RecordedExchange, reader: ResponseParser?) {
        var (entry, rest) = (live, entries)
        let isRecorded = file.entries.contains {
            $0.response.status == live.response.status && $0.request.url == live.request.url
        }
        while !isRecorded, (300..<400).contains(entry.response.status),
            let location = entry.response.fields.value(named: "Location"),
            let url = URL(string: location, relativeTo: entry.request.url),
            let next = rest.firstIndex(where: {
                $0.request.url.absoluteString == url.absoluteString
            })
        {
            entry = rest.remove(at: next)
        }
        return (entry, entry.reader)
    }

    private func issue(
        of indices: [Int], _ live: RecordedExchange, _ changes: ResponseChanges
    ) -> TestFailure? {
        var list = LimitedList()
        let isFailure = changes.findings.contains { $0.severity == .failure }
        for severity in [ResponseChanges.Finding.Severity.failure, .warning] {
            for finding in changes.findings where finding.severity == severity {
                list.add(finding.text)
            }
        }
        guard list.count > 0 else { return nil }
        let oldest = indices.compactMap { file.entries[$0].startedAt }.min()
        let date = oldest.map { ", \(HARDate.format($0).prefix(10))" } ?? ""
        let url = cassette.redaction.masked(live.request.url.absoluteString)
        let notes = changes.findings.filter { $0.severity == .notice && !$0.path.isEmpty }.count
        let rest =
            notes == 0
            ? "" : "\n\(notes) more change\(notes == 1 ? "" : "s") of members that nothing reads."
        let failure = TestFailure(
            """
            The server has changed since \(cassette.shownPath) (\(Self.clause(for: indices))\(date)):
              \(live.request.method) \(url) → \(live.response.status)\(changes.textOfCounts)\
            \(list.lines(noun: "change"))\(rest)
            \(file.advice)
            """, at: location)
        return isFailure ? failure : failure.asWarning
    }

    /// Writes what each request type reads of the entries that have replied to it.
    func writeUses() -> [TestFailure] {
        var report = CheckReport()
        for route in routes where !route.requests.isEmpty {
            let entry = file.entries[route.number]
            for request in route.requests {
                guard let reader = request.apiRequest.map({ ResponseParser($0) }),
                    let probe = reader.probe(of: [entry.compared])
                else { continue }
                let target = RequestTarget(of: entry.request)
                report.add(MemberUses(probe), of: reader.type, target.method, target.pathOfKind)
            }
        }
        return publish(report)
    }

    private func publish(_ report: CheckReport) -> [TestFailure] {
        report.publish(in: file.run).map { [TestFailure($0, at: location)] } ?? []
    }
}

extension Tape {
    /// Returns what each of some replies of routes has and the recorded responses to such requests
    /// do not.
    func differences(ofStubs stubs: [RecordedExchange]) -> [[String]] {
        let targets = file.entries.map { RequestTarget(of: $0.request) }
        return stubs.map { stub in
            let target = RequestTarget(of: stub.request)
            guard stub.response.isStub, let json = stub.compared.json else { return [] }
            func responses(_ isLike: (RequestTarget) -> Bool) -> [ComparedResponse] {
                targets.indices.filter { isLike(targets[$0]) && file.entries[$0].response.isStub }
                    .map { file.entries[$0].compared }.filter { $0.json != nil }
            }
            // An entry with the path itself counts, even if it is an error.
            let isKnown = targets.contains { target.isSimilar(to: $0) && target.path == $0.path }
            var recorded = responses {
                target.isSimilar(to: $0) && (!isKnown || target.path == $0.path)
            }
            if recorded.isEmpty, !isKnown {
                recorded = responses { target.isJoined(with: $0, by: stub.route?.pattern.path) }
            }
            if recorded.isEmpty, !isKnown {
                // The paths and a common name tell that the resources are of one kind.
                let names = Set(json.objects.children.keys)
                recorded = responses { target.isOfOneKind(as: $0) }.filter {
                    !names.isDisjoint(with: ($0.json?.objects ?? []).children.keys)
                }
            }
            guard !recorded.isEmpty else { return [] }
            let probe = stub.reader.flatMap {
                $0.probe(of: recorded) ?? $0.probe(of: [stub.compared])
            }
            let comparison = JSONComparison(from: recorded.compactMap(\.json), to: [json]) {
                probe?.isMap($0)
            }
            return comparison.changes.filter { [.new, .kind].contains($0.weight) }.map(\.text)
        }
    }
}

extension JSONValue {
    /// The objects of a list, or the object itself.
    fileprivate var objects: [JSONValue] { (elements ?? [self]).filter { $0.members != nil } }
}

extension RecordedExchange {
    fileprivate var compared: ComparedResponse {
        ComparedResponse(
            url: request.url, status: response.status, fields: response.fields.joined,
            body: response.body)
    }
}

extension RecordedResponse {
    /// Whether the response is complete and successful.
    fileprivate var isStub: Bool { error == nil && (200...299).contains(status) }

    /// The class of the status, or the status itself of a temporary response.
    fileprivate var kind: String { "\(isTemporary ? status : status / 100)" }

    /// Whether the response says nothing about the resource: no access, too many requests, or an error
    /// of the server.
    fileprivate var isTemporary: Bool { [401, 403, 429].contains(status) || status >= 500 }
}
