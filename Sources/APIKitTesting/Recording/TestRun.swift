import Foundation

/// The run of the tests in this process.
struct TestRun: Sendable {
    /// The run, which tests of recordings replace.
    @TaskLocal static var current = TestRun()

    private static let start = Date().inMilliseconds

    var environment = ProcessInfo.processInfo.environment
    var start = TestRun.start

    /// Returns whether a test of this run has recorded an entry.
    func contains(_ entry: HAREntry) -> Bool { entry.startedAt >= start }
}

extension Date {
    /// The date without fractions of a millisecond, as a file holds it.
    var inMilliseconds: Date {
        Date(timeIntervalSince1970: (timeIntervalSince1970 * 1000).rounded(.down) / 1000)
    }
}
