import APIKit
import Foundation

extension Tape {
    /// Compares the live responses of a test with those that the file would have replayed.
    ///
    /// - Returns: A failure or a warning for each entry whose response has changed, and a failure if
    ///   nothing was compared.
    func check() -> [TestFailure] {
        let pairs = pairs()
        var (issues, count, skipped) = ([TestFailure](), 0, [String]())
        for (index, entry) in file.entries.enumerated() {
            guard let live = pairs[index] else {
                if !file.isForeign(index) { skipped.append("entry \(index + 1) (not requested)") }
                continue
            }
            let status = live.response.status
            if [401, 403].contains(status), status != entry.response.status {
                skipped.append("entry \(index + 1) (\(status))")
            } else if let reason = live.response.error ?? entry.response.error {
                skipped.append("entry \(index + 1) (\(reason))")
            } else {
                count += 1
                if let issue = issue(of: index, live) { issues.append(issue) }
            }
        }
        let list = skipped.prefix(20).joined(separator: ", ")
        let summary =
            "\(cassette.shownPath): \(count) of \(count + skipped.count) entries compared"
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
        func compared(_ entry: HAREntry) -> (form: RequestForm, target: Target) {
            (keys.key(of: entry.request).form, Target(of: entry.request))
        }
        var pairs: [Int: HAREntry] = [:]
        var free = file.order.map { (index: $0, request: compared(file.entries[$0])) }
        var rest = newEntries.map { (entry: $0, request: compared($0)) }
        for isExact in [true, false] {
            rest = rest.filter { live in
                let place = free.firstIndex {
                    isExact
                        ? $0.request.form == live.request.form
                        : live.request.target.isSimilar(to: $0.request.target)
                }
                if let place { pairs[free.remove(at: place).index] = live.entry }
                return place == nil
            }
        }
        return pairs
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
        let notes = changes.noteCount
        let rest =
            notes == 0
            ? "" : "\n\(notes) more change\(notes == 1 ? "" : "s") of members that nothing reads."
        let failure = TestFailure(
            """
            The server has changed since \(cassette.shownPath) (entry \(index + 1)\(date)):
              \(live.request.method) \(url) → \(live.response.status)\(changes.textOfCounts)\
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
        var known: [Int: [JSONShape]] = [:]
        return stubs.map { stub in
            let target = Target(of: stub.request)
            let recorded = targets.indices.filter { target.isSimilar(to: targets[$0]) }
                .flatMap { index in
                    let shapes = known[index] ?? file.entries[index].response.shapes
                    known[index] = shapes
                    return shapes
                }
            return zip(JSONShape.merged(recorded), stub.response.shapes).flatMap { old, new in
                new.changes(since: old).compactMap(\.textOfStub)
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
    /// The shape of the JSON of a complete and successful response, or nothing for any other.
    fileprivate var shapes: [JSONShape] {
        guard error == nil, (200...299).contains(status),
            let json = try? JSONDecoder().decode(JSONValue.self, from: body)
        else { return [] }
        return [JSONShape(json)]
    }

    fileprivate var compared: ResponseChanges.Response {
        (status, body, { headers.value(named: $0) })
    }
}
