import APIKit
import Foundation

/// The file of a cassette, and whether its requests are recorded.
struct RecordingFile: Sendable {
    /// The mode after the environment.
    let mode: Cassette.Mode
    /// The entries to replay.
    let entries: [HAREntry]
    /// The mistake that prevents any use of the file, such as a missing file, with its remedy.
    let problem: String?

    /// Opens the file of a cassette.
    init(
        _ cassette: Cassette,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        mode = cassette.mode
        entries = []
        problem = nil
    }

    /// Whether a request without an entry goes to the network and is recorded.
    var records: Bool { false }

    /// The command that records the file again.
    var command: String { "" }

    /// Writes new entries, after those that another test has written.
    ///
    /// - Returns: The reason why the file is not written, or `nil`.
    func write(_ newEntries: [HAREntry]) -> String? { nil }
}
