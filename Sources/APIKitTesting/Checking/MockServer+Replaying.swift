import APIKit
import Foundation

extension MockServer {
    /// Replays a recording, and records requests according to its mode.
    ///
    /// Routes take precedence over the recording, whether they are added before or after. Their
    /// responses are not recorded.
    ///
    /// The recording is written when the test ends, if the test has passed. Without the `.mockServer`
    /// trait and `XCTestCase.mockServer()`, ``verify()`` writes it. A load that fails, is canceled or
    /// has not ended is not recorded. Until the test ends, memory holds the bodies of all recorded
    /// responses, including responses that the code under test streams.
    ///
    /// - Parameters:
    ///   - cassette: The recording. A literal such as `"users"` names the file `Recordings/users.har`
    ///     beside the source file.
    ///   - fileID: The file of a failure.
    ///   - filePath: The path of that file.
    ///   - line: The line of a failure.
    ///   - column: The column of a failure.
    public func replay(
        _ cassette: Cassette,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line,
        column: Int = #column
    ) {
        replay(cassette, at: SourceCodeLocation(fileID, filePath, line, column))
    }

    /// Compares the replies of routes with a recording, which it does not replay.
    ///
    /// The JSON of a reply with a status of 2xx is compared with the recorded responses to the same
    /// method and path, or to a path that the template of the route matches too. A member that these do
    /// not have, or of another kind, is a warning at the line of the route when the test ends. A reply
    /// may lack members. A server that replays a recording compares its routes with it anyway.
    ///
    /// - Parameters:
    ///   - cassette: The recording.
    ///   - fileID: The file of a failure, if there is no such recording.
    ///   - filePath: The path of that file.
    ///   - line: The line of a failure.
    ///   - column: The column of a failure.
    public func compareStubs(
        with cassette: Cassette,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line,
        column: Int = #column
    ) {
        compareStubs(with: cassette, at: SourceCodeLocation(fileID, filePath, line, column))
    }

    /// The date of the earliest entry of the replayed recording, or `nil` without a recording.
    ///
    /// Pass it to the clock of the code under test, so that tokens with an absolute expiry time are
    /// still valid.
    public var recordingDate: Date? {
        (state.withLock { $0.recordings }?.tapes ?? []).lazy.reversed()
            .compactMap { $0.file.entries.compactMap(\.startedAt).min() }.first
    }

    func replay(_ cassette: Cassette, at location: SourceCodeLocation) {
        let test = scope?.testFilter ?? TestFailure.currentTest?.filter
        let file = RecordingFile(cassette.inFile(location.filePath), test: test)
        replay(Tape(file, at: location, delegate: Check(of: file)))
    }

    func replay(_ tape: Tape) { add(tape, to: \.tapes) }

    func compareStubs(with cassette: Cassette, at location: SourceCodeLocation) {
        let file = RecordingFile(cassette.inFile(location.filePath))
        add(Tape(file, at: location), to: \.references)
    }

    private func add(_ tape: Tape, to list: WritableKeyPath<Recordings, [Tape]>) {
        state.withLock { state in
            var recordings = state.recordings ?? Recordings()
            recordings[keyPath: list].append(tape)
            state.source = recordings
            if let problem = tape.problem { state.add(problem) }
        }
    }
}

extension MockServer.State {
    var recordings: Recordings? { source as? Recordings }
}

/// The recordings of a server.
struct Recordings: ReplySource {
    /// The cassettes in use, whose entries respond after the routes.
    var tapes: [Tape] = []
    /// The recordings that the replies of routes are only compared with.
    var references: [Tape] = []

    /// Returns the reply of the last cassette that has one, or `nil` if none has a reply.
    func reply(
        to request: RecordedRequest
    ) -> (reply: Reply, recorder: (any RecordedExchange.Origin)?)? {
        for tape in tapes.reversed() where tape.problem == nil {
            if let reply = tape.claim(request) { return (reply, nil) }
        }
        let asking = tapes.filter { $0.asksServer(for: request) }
        // Of several recordings that are checked, one has an entry to compare.
        let checked = asking.last { $0.delegate != nil && !$0.matches(for: request).isEmpty }
        if let tape = checked ?? asking.last { return (.response(.passthrough), tape) }
        // The problem of the file already fails the test.
        return tapes.lazy.compactMap(\.problem).first.map { (.response(.failure($0)), nil) }
    }

    var routes: [MockRoute] { tapes.flatMap(\.routes) }

    func routes(matching request: RecordedRequest) -> [MockRoute] {
        tapes.flatMap { $0.matches(for: request) }
    }

    /// A new recording is a remedy for every request without a reply.
    var advice: String {
        tapes.map(\.unreadableEntries).joined()
            + (tapes.last.map { "\($0.delegate?.advice ?? "")\n\($0.file.advice)" } ?? "")
    }

    func masked(_ text: String) -> String {
        tapes.reduce(text) { $1.cassette.redaction.masked($0) }
    }

    func shortfalls(besides routes: [MockRoute]) -> [TestFailure] {
        tapes.compactMap { $0.shortfall(besides: routes) }
    }

    func finish(testHasPassed: Bool, after state: MockServer.State) -> [TestFailure] {
        let found =
            tapes.flatMap { $0.finish(testHasPassed: testHasPassed, after: state.journal) }
            + warnings(after: state)
        let isStrict = TestRun.current.environment["APIKIT_CHECK"] == "strict"
        return isStrict ? found.map(\.asFailure) : found
    }

    func warnOfUnfinished(after state: MockServer.State) {
        for tape in tapes where tape.isAbandoned(after: state.journal) {
            Notice.write(
                """
                \(tape.cassette.shownPath) is not \(tape.delegate == nil ? "written" : "compared"), \
                because nothing has verified its server. \
                Add the trait .mockServer, use mockServer() in an XCTest, or call verify().
                """)
        }
    }

    /// Returns the warnings about replies of routes that differ from the recorded responses.
    func warnings(after state: MockServer.State) -> [TestFailure] {
        let stubs = state.journal.filter { $0.route != nil }
        var lines: [Int?: [String]] = [:]
        for tape in stubs.isEmpty ? [] : references + tapes {
            for (stub, found) in zip(stubs, tape.differences(ofStubs: stubs)) {
                lines[stub.route?.number, default: []] += found
            }
        }
        return state.routes.compactMap { route in
            guard let lines = lines[route.number], !lines.isEmpty else { return nil }
            let list = LimitedList(Set(lines).sorted())
            return TestFailure(
                "The reply of \(route.pattern) differs from the recorded responses:"
                    + list.lines(noun: "difference"), at: route.location
            ).asWarning
        }
    }
}
