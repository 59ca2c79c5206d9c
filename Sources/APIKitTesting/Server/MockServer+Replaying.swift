import APIKit
import Foundation

extension MockServer {
    /// Replays a recording, and records the requests that its mode says.
    ///
    /// Routes take precedence over the recording, whether they are added before or after.
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
        let tape = Tape(cassette, at: SourceCodeLocation(fileID, filePath, line, column))
        state.withLock { $0.tapes.append(tape) }
    }
}
