import APIKit
import Foundation

/// Decides for a tape that records nothing which requests the real server replies to.
protocol TapeDelegate: Sendable {
    /// Returns whether a request goes to the real server, even if an entry matches it.
    func asksServer(for request: RecordedRequest) -> Bool

    /// The remedy for a request without a reply, or nothing.
    var advice: String { get }

    /// Ends the test, and returns its failures and warnings. `live` holds what the real server replied.
    func finish(_ tape: Tape, with live: [RecordedExchange], testHasPassed: Bool) -> [TestFailure]
}

/// A cassette in use by a server: what it replays, and what it records.
final class Tape: Sendable {
    let location: SourceCodeLocation
    let file: RecordingFile
    let delegate: (any TapeDelegate)?
    /// The mistake that prevents the replay, and the error of all requests.
    let problem: TestFailure?
    let keys: ReplayKeys
    /// The entries for equal requests, which respond in turn.
    private let tracks: [NamedValues: MockRoute]
    /// Whether an entry lacks the body of its request, as in most exports of browsers.
    private let lacksBodies: Bool
    private let isFinished = Locked(false)

    var cassette: Cassette { file.cassette }

    /// Creates the tape of a file.
    init(
        _ file: RecordingFile, at location: SourceCodeLocation,
        delegate: (any TapeDelegate)? = nil
    ) {
        (self.file, self.location, self.delegate) = (file, location, delegate)
        let cassette = file.cassette
        let keys = ReplayKeys(
            of: file.entries.map(\.request), file.content.placeholders, for: cassette)
        let responses = file.entries.map { MockResponse(replaying: $0) }
        let mistake = responses.indices.lazy.compactMap { index in
            responses[index].problem.map {
                "Entry \(index + 1) of \(cassette.shownPath) is invalid: \($0)."
            }
        }
        problem = (file.problem ?? mistake.first).map { TestFailure($0, at: location) }
        let repeats = cassette.options.contains(.repeatsLastEntry)
        var tracks: [NamedValues: MockRoute] = [:]
        for (key, equal) in Dictionary(grouping: file.order, by: { keys.recorded[$0] }) {
            // The entries of another test do not follow an entry that repeats.
            let indices = equal.filter {
                !repeats || file.entries[$0].test == file.entries[equal[0]].test
            }
            tracks[key] = MockRoute(
                keys.pattern(key, of: file.entries[indices[0]].request),
                replies: indices.map { index in
                    let entry = file.entries[index]
                    // A test that has recorded it sent no condition that a browser's cache added.
                    guard entry.response.status == 304, entry.test == nil else {
                        return .response(responses[index])
                    }
                    let stored = indices.last {
                        $0 < index && file.entries[$0].response.status == 200
                    }
                    return .notModified(
                        responses[index],
                        stored: stored.map { responses[$0] },
                        entry: "Entry \(index + 1) of \(cassette.shownPath)")
                },
                times: repeats ? .atLeast(indices.count) : Times(integerLiteral: indices.count),
                number: indices[0], location: location,
                entry: "\(Self.clause(for: indices)) of \(cassette.shownPath)", indices: indices)
        }
        (self.keys, self.tracks) = (keys, tracks)
        lacksBodies = file.entries.contains { !$0.request.hasBody }
    }

    /// Returns the numbers of the entries at some positions, for a message.
    static func clause(for indices: [Int]) -> String {
        let numbers = indices.map { $0 + 1 }.sorted()
        return switch numbers.count {
        case 1: "entry \(numbers[0])"
        case 2: "entries \(numbers[0]) and \(numbers[1])"
        default: "entries \(numbers[0]), \(numbers[1]) and \(numbers.count - 2) more"
        }
    }
}

extension Tape {
    /// The entries as routes, in the order of the file.
    var routes: [MockRoute] { tracks.values.sorted { $0.number < $1.number } }

    /// Returns the routes of the entries that a request matches, in the order in which they reply.
    func matches(for request: RecordedRequest) -> [MockRoute] {
        func rank(_ route: MockRoute) -> (Int, Int) {
            let rest = route.indices.dropFirst(route.requests.count)
            // The last entry may repeat, but after the unused entries of the same owner.
            return rest.first.map(file.rank) ?? (file.rank(route.number).owner, .max)
        }
        var equal = [keys.key(of: request)]
        if lacksBodies {
            var request = request
            request.hasBody = false
            equal.append(keys.key(of: request))
        }
        return equal.compactMap { tracks[$0] }.sorted { rank($0) < rank($1) }
    }

    /// Returns the reply of the first unused entry that a request matches.
    func claim(_ request: RecordedRequest) -> Reply? {
        if delegate?.asksServer(for: request) == true { return nil }
        for route in matches(for: request) {
            if let reply = route.claim(request) { return reply }
        }
        return nil
    }

    /// Returns whether a request without an entry goes to the real server.
    func asksServer(for request: RecordedRequest) -> Bool {
        delegate.map { file.problem == nil && $0.asksServer(for: request) } ?? file.records
    }

    /// The list of the entries that cannot be read, for an unhandled request, if there are any.
    var unreadableEntries: String {
        let list = LimitedList(file.content.unreadable, showing: 10)
        return list.count == 0
            ? ""
            : "\nSome entries of \(cassette.shownPath) cannot be read:\(list.lines(noun: "mistake"))"
    }

    /// Returns the failure of the entries that no request has used, not even one that a route served.
    ///
    /// The entries of other tests may stay unused.
    func shortfall(besides routes: [MockRoute]) -> TestFailure? {
        guard !cassette.options.contains(.allowsUnusedEntries), delegate == nil else { return nil }
        let unused = tracks.values.filter { $0.unusedReplyCount > 0 }
        guard !unused.isEmpty else { return nil }
        let served = routes.flatMap(\.requests).flatMap(matches)
            .reduce(into: [Int: Int]()) { $0[$1.number, default: 0] += 1 }
        let entries = unused.flatMap { route in
            route.indices.suffix(route.unusedReplyCount)
                .dropFirst(served[route.number, default: 0]).filter { !file.isForeign($0) }
                .map { (number: $0, text: "entry \($0 + 1): \(route.pattern)") }
        }
        guard !entries.isEmpty else { return nil }
        let list = LimitedList(entries.sorted { $0.number < $1.number }.map(\.text))
        let (subject, verb) =
            entries.count == 1 ? ("An entry", "was") : ("\(entries.count) entries", "were")
        return TestFailure(
            """
            \(subject) of \(cassette.shownPath) \(verb) not requested:\(list.lines(noun: "request"))
            Make the missing requests, delete the entries, or pass options: \
            [.allowsUnusedEntries]. \(file.advice)
            """,
            at: location)
    }
}

extension Tape {
    /// Returns the entries that the tape makes of a journal.
    ///
    /// A load that fails has no entries, even for its redirects. Only a delegate reports it.
    func entries(of journal: [RecordedExchange]) -> [RecordedExchange] {
        journal.filter(isEntry).map(\.normalized)
    }

    private func isEntry(_ exchange: RecordedExchange) -> Bool {
        let hasLoaded = exchange.hasLoaded ?? exchange.response.isEndedStream
        return exchange.origin === self
            && (hasLoaded || delegate != nil && exchange.hasLoaded != nil)
    }

    /// Returns whether the journal has entries that nothing has tried to write.
    func isAbandoned(after journal: [RecordedExchange]) -> Bool {
        !isFinished.withLock { $0 } && journal.contains(where: isEntry)
    }

    /// Writes the entries of a journal at the end of the test.
    ///
    /// Loads in progress leave no entry. If the test has failed, the method
    /// writes nothing.
    func finish(testHasPassed: Bool, after journal: [RecordedExchange]) -> [TestFailure] {
        isFinished.withLock { $0 = true }
        guard file.problem == nil else { return [] }
        let entries = entries(of: journal)
        if let delegate {
            return delegate.finish(self, with: entries, testHasPassed: testHasPassed)
        }
        // A decoding error cannot mention it, because a decoder does not recognize a placeholder.
        if !testHasPassed, !file.content.placeholders.isEmpty {
            Notice.write(
                """
                \(cassette.shownPath): the responses of this failed test can have placeholders in \
                place of secrets. If the test needs a value that is no secret, exclude its name \
                with redacting: .secrets.excluding(values:), and record again.
                """)
        }
        if file.mode != .mask {
            guard !entries.isEmpty else { return [] }
            guard testHasPassed else {
                Notice.write("\(cassette.shownPath) is not written, because the test has failed.")
                return []
            }
        }
        if let problem = file.write(entries) { return [TestFailure(problem, at: location)] }
        let isLeftInCode = file.run.isOnCI && file.run.modeName == nil && !entries.isEmpty
        return file.mode == .once || isLeftInCode ? [warning(of: entries.count)] : []
    }

    /// The warning that requests went to the real server, because there was no file, or because the
    /// mode of the code records in continuous integration.
    ///
    /// The environment variable `CI` of a machine does not reach a test under `xcodebuild`.
    private func warning(of count: Int) -> TestFailure {
        let isNew = file.mode == .once
        return TestFailure(
            """
            \(cassette.shownPath) \(isNew ? "did not exist" : "records where CI is set"), so the real \
            server replied, and \(count) request\(count == 1 ? " was" : "s were") recorded. \
            \(isNew ? "" : "Remove mode: .\(file.mode). ")Commit the file. In continuous integration, \
            a missing file fails the test if CI is set: TEST_RUNNER_CI=1 xcodebuild test
            """, at: location
        ).asWarning
    }
}

extension Reply {
    /// Returns the reply of a recorded 304, which only a request with a condition receives.
    ///
    /// Any other request receives the stored response: an earlier one of the recording, or else the body
    /// that a browser has written beside the 304.
    fileprivate static func notModified(
        _ response: MockResponse, stored: MockResponse?, entry: String
    ) -> Reply {
        .responder { request in
            let conditions = ["If-None-Match", "If-Modified-Since", "If-Match", "If-Range"]
            if conditions.contains(where: { request.header($0) != nil }) { return response }
            if let stored { return stored }
            var own = response
            own.status = 200
            if case .body(let body) = own.content, !body.isEmpty {
                return own.header("Content-Length", "\(body.count)")
            }
            throw TestFailure(
                """
                \(entry) is a 304, and \(request) has no condition such as If-None-Match. Delete the \
                entry, or record it again without a cache.
                """, at: nil)
        }
    }
}
