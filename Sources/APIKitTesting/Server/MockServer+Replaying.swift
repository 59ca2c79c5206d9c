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
    ///   - cassette: The recording. A literal such as `"users"` names the file `Recordings/users.har` beside
    ///     the source file.
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

    /// The date of the earliest entry of the replayed recording, or `nil` without a recording.
    ///
    /// Pass it to the clock of the code under test, so that tokens with an absolute expiry time are
    /// still valid.
    public var recordingDate: Date? {
        state.withLock { $0.tapes }.lazy.reversed()
            .compactMap { $0.file.entries.compactMap(\.startedAt).min() }.first
    }

    func replay(_ cassette: Cassette, at location: SourceCodeLocation) {
        let test = scope?.testFilter ?? TestFailure.currentTest?.filter
        replay(Tape(RecordingFile(cassette.inFile(location.filePath), test: test), at: location))
    }

    func replay(_ tape: Tape) {
        state.withLock { state in
            state.tapes.append(tape)
            if let problem = tape.problem { state.add(problem) }
        }
    }

    /// Returns the reply of the last cassette that has one, or `nil` if none has a reply.
    ///
    /// A tape that records the reply is returned with it.
    func reply(
        to request: RecordedRequest, from tapes: [Tape]
    ) -> (Reply, PlayedResponse.Source?)? {
        for tape in tapes.reversed() where tape.problem == nil {
            if let reply = tape.claim(request) { return (reply, nil) }
        }
        let recording = tapes.filter { $0.records(request) }
        // Of several recordings that are checked, one has an entry to compare.
        let checked = recording.last { $0.file.mode == .check && !$0.matches(for: request).isEmpty }
        if let tape = checked ?? recording.last { return (.response(.passthrough), .tape(tape)) }
        // The problem of the file already fails the test.
        return tapes.lazy.compactMap(\.problem).first.map { (.response(.failure($0)), nil) }
    }
}
