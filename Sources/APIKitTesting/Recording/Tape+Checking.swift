import APIKit
import Foundation

extension Tape {
    /// Compares the live responses of a test with those that the file would have replayed.
    ///
    /// - Returns: A failure or a warning for each entry whose response has changed, and a failure if
    ///   nothing was compared.
    func check() -> [TestFailure] {
        var issues: [TestFailure] = []
        var skipped: [Int: String] = [:]
        let pairs = pairs()
        for (index, live) in pairs.sorted(by: { $0.key < $1.key }) {
            let entry = file.entries[index]
            if [401, 403].contains(live.response.status),
                live.response.status != entry.response.status
            {
                skipped[index] = "\(live.response.status)"
            } else if let reason = live.response.error ?? entry.response.error {
                skipped[index] = reason
            } else if let issue = issue(of: index, live) {
                issues.append(issue)
            }
        }
        let owned = file.entries.indices.filter { owner(of: file.entries[$0]) != .otherTest }
        for index in owned where pairs[index] == nil { skipped[index] = "not requested" }
        let count = pairs.count - pairs.keys.count { skipped[$0] != nil }
        let total = Set(owned).union(pairs.keys).count
        let list = skipped.sorted { $0.key < $1.key }.prefix(20)
            .map { "entry \($0 + 1) (\($1))" }.joined(separator: ", ")
        let summary =
            "\(cassette.shownPath): \(count) of \(total) entries compared"
            + (list.isEmpty ? "." : "; not compared: \(list).")
        if count == 0 {
            issues.append(TestFailure("Nothing was compared. \(summary)", at: location))
        } else {
            Notice.write(summary)
        }
        return issues
    }

    /// Returns the live entries by the positions of the entries that would have replied.
    ///
    /// A request with live identifiers belongs to the next entry whose path differs only in such.
    private func pairs() -> [Int: HAREntry] {
        let indices = file.entries.indices.sorted {
            (owner(of: file.entries[$0]).rawValue, $0) < (owner(of: file.entries[$1]).rawValue, $1)
        }
        var free = Dictionary(grouping: indices) { key(of: file.entries[$0]) }
        var (pairs, rest) = ([Int: HAREntry](), [HAREntry]())
        for live in newEntries {
            let key = key(of: live)
            if free[key]?.isEmpty == false, let index = free[key]?.removeFirst() {
                pairs[index] = live
            } else {
                rest.append(live)
            }
        }
        guard !rest.isEmpty else { return pairs }
        var others = indices.filter { pairs[$0] == nil }
            .map { (index: $0, target: Target(of: file.entries[$0].request)) }
        for live in rest {
            let target = Target(of: live.request)
            guard let place = others.firstIndex(where: { target.isSimilar(to: $0.target) })
            else { continue }
            pairs[others.remove(at: place).index] = live
        }
        return pairs
    }

    private func key(of entry: HAREntry) -> ReplayKeys.Key {
        keys.key(of: entry.request).withoutPlaceholders
    }

    private func issue(of index: Int, _ live: HAREntry) -> TestFailure? {
        let entry = file.entries[index]
        let reader = ResponseReader.of(live.request.method, live.request.url)
        let changes = ResponseChanges(
            from: entry.response.compared, to: live.response.compared, readBy: reader)
        var list = LimitedList()
        for line in changes.failures + changes.warnings {
            list.add(Redaction.secrets.text(ofValue: line))
        }
        guard list.count > 0 else { return nil }
        let date = entry.startedAt.map { ", \(HARDate.text(of: $0).prefix(10))" } ?? ""
        let url = cassette.redaction.text(ofValue: live.request.url)
        let counts = changes.elementCounts.map {
            ": compared \($0.live) elements with \($0.recorded)"
        }
        let notes = changes.noteCount
        let rest =
            notes == 0
            ? "" : "\n\(notes) more change\(notes == 1 ? "" : "s") of members that nothing reads."
        let failure = TestFailure(
            """
            The server has changed since \(cassette.shownPath) (entry \(index + 1)\(date)):
              \(live.request.method) \(url) → \(live.response.status)\(counts ?? "")\
            \(list.text(of: "change"))\(rest)
            \(file.advice)
            """, at: location)
        return changes.failures.isEmpty ? failure.asWarning : failure
    }
}

extension Tape {
    /// Returns what each of some replies of routes has and the recorded responses to such requests
    /// do not.
    func differences(ofStubs stubs: [HAREntry]) -> [[String]] {
        let targets = file.entries.map { Target(of: $0.request) }
        var known: [Int: JSONShape?] = [:]
        func shape(_ index: Int) -> JSONShape? {
            if let shape = known[index] { return shape }
            let shape = file.entries[index].response.shape
            known[index] = .some(shape)
            return shape
        }
        return stubs.map { stub in
            guard let reply = stub.response.shape else { return [] }
            let target = Target(of: stub.request)
            let recorded = targets.indices.filter { target.isSimilar(to: targets[$0]) }
                .compactMap(shape)
            return JSONShape.merged(recorded).flatMap { all in
                reply.changes(since: all).compactMap(\.textOfStub)
            }
        }
    }
}

/// The method and the path of a request, without its host.
private struct Target {
    let method: String
    let path: [String]

    init(of request: HAREntry.Request) {
        method = request.method
        path = RecordedRequest.encodedSegments(of: URL(string: request.url)?.path ?? "")
    }

    /// Returns whether the paths differ only in values that change with each run.
    func isSimilar(to other: Target) -> Bool {
        method == other.method && path.count == other.path.count
            && zip(path, other.path).allSatisfy { $0 == $1 || Volatility.isSame($1, $0) }
    }
}

extension HAREntry.Response {
    /// The shape of the JSON of a complete and successful response, or `nil` for any other.
    fileprivate var shape: JSONShape? {
        guard error == nil, (200...299).contains(status) else { return nil }
        return (try? JSONDecoder().decode(JSONValue.self, from: body)).map(JSONShape.init)
    }

    fileprivate var compared: ResponseChanges.Response {
        (status, body, { headers.value(named: $0) })
    }
}
