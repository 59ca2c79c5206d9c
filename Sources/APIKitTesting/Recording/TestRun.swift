import Foundation

/// The run of the tests in this process.
struct TestRun: Sendable {
    /// The run, which tests of recordings replace.
    @TaskLocal static var current = TestRun()

    // A file holds dates in milliseconds.
    private static let start = Date() - 0.001

    var environment = ProcessInfo.processInfo.environment
    var start = TestRun.start

    /// Whether the environment variable `CI` is set, which prevents new files.
    var isOnCI: Bool { !["", "0", "false"].contains((environment["CI"] ?? "").lowercased()) }

    /// The mode that the environment variable `APIKIT_RECORD` names, if it is set.
    var modeName: String? { environment["APIKIT_RECORD"].flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns whether a test of this run has recorded an entry.
    func contains(_ entry: RecordedExchange) -> Bool {
        // A file of another machine can have a date in the future.
        entry.startedAt.map { $0 >= start && $0 <= Date() } ?? false
    }
}
