import APIKit
import Foundation

extension Tape {
    /// The entries of equal requests, and the live entries of such requests.
    private struct Group {
        let target: RequestTarget
        let indices: [Int]
        var live: [RecordedExchange]
    }

    /// Compares the live responses of a test with those that the file would have replayed.
    ///
    /// - Returns: A failure or a warning for each request whose response has changed, and a failure if
    ///   nothing was compared, or if the test has failed without a live token.
    func check(_ entries: [RecordedExchange], testHasPassed: Bool) -> [TestFailure] {
        var report = CheckReport()
        var issues = groups(with: entries).flatMap { check($0, of: entries, &report) }
        let summary = report.summary(of: cassette.shownPath)
        let (isEmpty, lacksToken) = (report.hasComparedNothing, report.lacksToken)
        if isEmpty || lacksToken && !testHasPassed {
            issues.append(
                TestFailure(
                    (isEmpty ? "Nothing was compared. " : "") + summary
                        + (lacksToken ? adviceOfCheck : ""), at: location))
        } else {
            Notice.write(summary)
        }
        return issues
    }

    /// Returns the entries by their requests, in the order in which they reply.
    ///
    /// If no key is equal, paths that differ only in identifiers match.
    private func groups(with entries: [RecordedExchange]) -> [Group] {
        let recorded = Dictionary(grouping: file.order) { keys.recorded[$0] }
        let live = Dictionary(grouping: entries) { keys.key(of: $0.request) }
        var groups = file.order.compactMap { index -> Group? in
            let key = keys.recorded[index]
            guard let indices = recorded[key], indices[0] == index else { return nil }
            let target = RequestTarget(of: file.entries[index].request)
            return Group(target: target, indices: indices, live: live[key] ?? [])
        }
        for entry in entries where recorded[keys.key(of: entry.request)] == nil {
            let target = RequestTarget(of: entry.request)
            let similar = groups.indices.filter { target.isSimilar(to: groups[$0].target) }
            let free = similar.first { groups[$0].live.isEmpty } ?? similar.last
            if let free { groups[free].live.append(entry) }
        }
        return groups
    }

    /// Compares the responses of equal requests, those to each request type with all recorded ones.
    ///
    /// Requests that poll a job can be fewer or more than in the recording.
    private func check(
        _ group: Group, of entries: [RecordedExchange], _ report: inout CheckReport
    ) -> [TestFailure] {
        let recorded = group.indices.map { file.entries[$0].response }
        let today = group.live.map(\.response)
        let live = group.live.filter { $0.response.isComparable(with: recorded) }
        let usable = group.indices.filter {
            !live.isEmpty && file.entries[$0].response.isComparable(with: today)
        }
        var compared: Set<Int> = []
        defer {
            for index in group.indices
            where !compared.contains(index) && !(today.isEmpty && file.isForeign(index)) {
                let outcome: CheckReport.Outcome =
                    if let last = today.last {
                        live.isEmpty || usable.contains(index)
                            ? last.outcome : .skipped("was recorded with an error")
                    } else if sends(group.target.method) {
                        .skipped("not requested")
                    } else {
                        .notSent(method: group.target.method)
                    }
                report.add(index, outcome)
            }
        }
        guard !usable.isEmpty else { return [] }
        // A class of statuses has its own bodies, and a request type its own uses.
        let pairs = live.map { (sent: $0, target: target(of: $0, in: entries)) }
        let kinds = Dictionary(grouping: pairs) {
            "\($0.target.response.kind) \($0.target.reader?.type ?? "")"
        }
        return kinds.sorted { $0.key < $1.key }.compactMap { _, pairs in
            let (last, reader) = (pairs[pairs.count - 1], pairs[0].target.reader)
            let equal = usable.filter {
                file.entries[$0].response.kind == last.target.response.kind
            }
            let indices = equal.isEmpty ? usable : equal
            let moved = pairs.last { $0.sent.request.number != $0.target.request.number }
            let changes = ResponseChanges(
                from: indices.map { file.entries[$0].compared }, to: pairs.map(\.target.compared),
                readBy: reader, redirectedTo: moved?.target.request.url.absoluteString)
            compared.formUnion(indices)
            for index in indices { report.add(index, changes.comparesBodies ? .body : .head) }
            for remark in changes.remarks {
                Notice.write("\(cassette.shownPath), entry \(indices[0] + 1): \(remark)")
            }
            return issue(of: indices, last.sent, changes)
        }
    }

    /// Returns the last entry after the redirects of a live one.
    ///
    /// A redirect of today counts only if the recording has none.
    private func target(
        of live: RecordedExchange, in entries: [RecordedExchange]
    ) -> RecordedExchange {
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
        return entry
    }

    private func issue(
        of indices: [Int], _ live: RecordedExchange, _ changes: ResponseChanges
    ) -> TestFailure? {
        let findings = [ResponseChanges.Finding.Severity.failure, .warning].flatMap { severity in
            changes.findings.filter { $0.severity == severity }
        }
        guard let first = findings.first else { return nil }
        var list = LimitedList()
        for finding in findings { list.add(finding.text) }
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
        return first.severity == .failure ? failure : failure.asWarning
    }
}

extension Tape {
    /// Returns what each of some replies of routes has and the recorded responses to such requests
    /// do not.
    func differences(ofStubs stubs: [RecordedExchange]) -> [[String]] {
        let targets = file.entries.map { RequestTarget(of: $0.request) }
        let recorded = zip(targets, file.entries).filter { $1.response.isStub }
            .map { (target: $0, response: $1.compared) }.filter { $0.response.json != nil }
        return stubs.map { stub in
            let target = RequestTarget(of: stub.request)
            guard stub.response.isStub, let json = stub.compared.json else { return [] }
            var near = recorded.filter { target.isSimilar(to: $0.target) }
            // An entry with the path itself counts, even if it is an error.
            if targets.contains(where: { target.isSimilar(to: $0) && target.path == $0.path }) {
                near.removeAll { target.path != $0.target.path }
            } else if near.isEmpty {
                near = recorded.filter {
                    target.isJoined(with: $0.target, by: stub.route?.pattern.path)
                }
                // The paths and a common name tell that the resources are of one kind.
                let names = Set(json.objects.children.keys)
                if near.isEmpty {
                    near = recorded.filter {
                        target.isOfOneKind(as: $0.target)
                            && !names.isDisjoint(
                                with: ($0.response.json?.objects ?? []).children.keys)
                    }
                }
            }
            guard !near.isEmpty else { return [] }
            let responses = near.map(\.response)
            let probe = stub.reader?.probe(of: responses)
            let comparison = JSONComparison(from: responses.compactMap(\.json), to: [json]) {
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
    private var isTemporary: Bool { [401, 403, 429].contains(status) || status >= 500 }

    /// Returns whether the response says something, or is temporary as one of the other side is.
    fileprivate func isComparable(with others: [RecordedResponse]) -> Bool {
        error == nil && (!isTemporary || others.contains { $0.status == status })
    }

    /// The outcome if the response is not compared.
    fileprivate var outcome: CheckReport.Outcome {
        error.map { .skipped("no response: \(Redaction.secrets.masked($0))") } ?? .status(status)
    }
}
