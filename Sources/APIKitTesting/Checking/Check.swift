import APIKit
import Foundation

/// A check of a recording: the real server replies, and its responses are compared with the entries.
struct Check: TapeDelegate {
    private let sendsAllMethods: Bool

    /// Creates the check of a recording, or `nil` if its mode is another one.
    init?(of file: RecordingFile) {
        guard file.mode == .check else { return nil }
        sendsAllMethods = file.cassette.options.contains(.checksAllMethods)
    }

    func asksServer(for request: RecordedRequest) -> Bool {
        // These methods change nothing (RFC 9110, section 9.2.1).
        sendsAllMethods
            || ["GET", "HEAD", "OPTIONS"].contains(request.method.rawValue.uppercased())
    }

    var advice: String {
        sendsAllMethods
            ? ""
            : """

            A check sends only GET, HEAD and OPTIONS. If the test needs a token that it requests with \
            another method, pass options: [.checksAllMethods].
            """
    }

    /// Compares the live responses of a test with those that the file would have replayed.
    ///
    /// - Returns: A failure or a warning for each request whose response has changed, and a failure if
    ///   nothing was compared, or if the test has failed without a live token.
    func finish(
        _ tape: Tape, with live: [RecordedExchange], testHasPassed: Bool
    ) -> [TestFailure] {
        var report = CheckReport()
        let issues = tape.groups(with: live).flatMap {
            tape.compare($0, among: live, &report)
        }
        let summary = report.summary(of: tape.cassette.shownPath)
        let (isEmpty, lacksToken) = (report.hasComparedNothing, report.lacksToken)
        guard isEmpty || lacksToken && !testHasPassed else {
            Notice.write(summary)
            return issues
        }
        let text = (isEmpty ? "Nothing was compared. " : "") + summary + (lacksToken ? advice : "")
        return issues + [TestFailure(text, at: tape.location)]
    }
}

extension Tape {
    /// The entries of equal requests, and the live exchanges of such requests.
    fileprivate typealias Group = (target: RequestTarget, indices: [Int], live: [RecordedExchange])

    /// Returns the entries by their requests, in the order in which they reply.
    ///
    /// If no key is equal, paths that differ only in identifiers match.
    fileprivate func groups(with all: [RecordedExchange]) -> [Group] {
        let recorded = Dictionary(grouping: file.order) { keys.recorded[$0] }
        let live = Dictionary(grouping: all) { keys.key(of: $0.request) }
        var groups = file.order.compactMap { index -> Group? in
            let key = keys.recorded[index]
            guard let indices = recorded[key], indices[0] == index else { return nil }
            return (RequestTarget(of: file.entries[index].request), indices, live[key] ?? [])
        }
        for exchange in all where recorded[keys.key(of: exchange.request)] == nil {
            let target = RequestTarget(of: exchange.request)
            let similar = groups.indices.filter { target.isSimilar(to: groups[$0].target) }
            let free = similar.first { groups[$0].live.isEmpty } ?? similar.last
            if let free { groups[free].live.append(exchange) }
        }
        return groups
    }

    /// Compares the responses of equal requests, those to each request type with all recorded ones.
    ///
    /// Requests that poll a job can be fewer or more than in the recording.
    fileprivate func compare(
        _ group: Group, among all: [RecordedExchange], _ report: inout CheckReport
    ) -> [TestFailure] {
        let entries = file.entries
        let recorded = group.indices.map { entries[$0].response }
        let today = group.live.map(\.response)
        let live = group.live.filter { $0.response.isComparable(with: recorded) }
        let usable = group.indices.filter { entries[$0].response.isComparable(with: today) }
        for index in group.indices where !today.isEmpty || !file.isForeign(index) {
            let isUsable = live.isEmpty || usable.contains(index)
            let outcome: CheckReport.Outcome =
                if let last = today.last {
                    isUsable ? last.outcome : .skipped("was recorded with an error")
                } else if asksServer(for: entries[index].request) {
                    .skipped("not requested")
                } else {
                    .notSent(method: group.target.method)
                }
            report.add(index, outcome)
        }
        guard !live.isEmpty, !usable.isEmpty else { return [] }
        // A class of statuses has its own bodies, and a request type its own output.
        let pairs = live.map { (sent: $0, target: target(of: $0, in: all)) }
        let kinds = Dictionary(grouping: pairs) {
            "\($0.target.response.kind) \($0.target.reader?.type ?? "")"
        }
        return kinds.sorted { $0.key < $1.key }.compactMap { _, pairs in
            let last = pairs[pairs.count - 1]
            let equal = usable.filter { entries[$0].response.kind == last.target.response.kind }
            let indices = equal.isEmpty ? usable : equal
            let moved = pairs.last { $0.sent.request.number != $0.target.request.number }
            let changes = ResponseChanges(
                from: indices.map { entries[$0].compared }, to: pairs.map(\.target.compared),
                readBy: last.target.reader,
                redirectedTo: moved?.target.request.url.absoluteString)
            for index in indices { report.add(index, changes.comparesBodies ? .body : .head) }
            for remark in changes.remarks {
                Notice.write("\(cassette.shownPath), entry \(indices[0] + 1): \(remark)")
            }
            return issue(of: changes, in: indices, last.sent)
        }
    }

    /// Returns the last exchange after the redirects of a live one.
    ///
    /// A redirect of today counts only if the recording has none.
    private func target(of live: RecordedExchange, in all: [RecordedExchange]) -> RecordedExchange {
        var (exchange, rest) = (live, all)
        let isRecorded = file.entries.contains {
            $0.response.status == live.response.status && $0.request.url == live.request.url
        }
        while !isRecorded, (300..<400).contains(exchange.response.status),
            let location = exchange.response.fields.value(named: "Location"),
            let url = URL(string: location, relativeTo: exchange.request.url),
            let next = rest.firstIndex(where: {
                $0.request.url.absoluteString == url.absoluteString
            })
        {
            exchange = rest.remove(at: next)
        }
        return exchange
    }

    private func issue(
        of changes: ResponseChanges, in indices: [Int], _ live: RecordedExchange
    ) -> TestFailure? {
        let list = LimitedList(changes.failures + changes.warnings)
        guard list.count > 0 else { return nil }
        let oldest = indices.compactMap { file.entries[$0].startedAt }.min()
        let date = oldest.map { ", \(HARDate.format($0).prefix(10))" } ?? ""
        let url = cassette.redaction.masked(live.request.url.absoluteString)
        let failure = TestFailure(
            """
            The server has changed since \(cassette.shownPath) (\(Self.clause(for: indices))\(date)):
              \(live.request.method) \(url) → \(live.response.status)\(changes.textOfCounts)\
            \(list.lines(noun: "change"))\(changes.lineOfOthers)
            \(file.advice)
            """, at: location)
        return changes.failures.isEmpty ? failure.asWarning : failure
    }
}

extension RecordedResponse {
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
