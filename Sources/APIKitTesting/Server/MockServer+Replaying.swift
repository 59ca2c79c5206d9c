import APIKit
import Foundation

extension MockServer {
    /// Replays a recording, and records the requests that its mode says.
    ///
    /// Routes take precedence over the recording, whether they are added before or after. Their
    /// responses are not recorded.
    ///
    /// The recording is written when the test ends, if the test has passed. Without the `.mockServer`
    /// trait and `XCTestCase.mockServer()`, ``verify()`` writes it. A load that fails, is canceled or
    /// has not ended is not recorded. Until the test ends, memory holds the bodies of all recorded
    /// responses, also of those that the code under test streams.
    ///
    /// - Parameters:
    ///   - cassette: The recording.
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

    func replay(_ cassette: Cassette, at location: SourceCodeLocation) {
        let test = scope?.testFilter ?? TestFailure.currentTestFilter
        replay(Tape(cassette, at: location, test: test))
    }

    func replay(_ tape: Tape) {
        state.withLock { state in
            state.tapes.append(tape)
            if let problem = tape.problem { state.add(problem) }
        }
        scope?.add(tape)
    }
}
