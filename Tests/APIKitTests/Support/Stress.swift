import Foundation

/// The size of stress tests.
enum Stress {
    /// Whether the environment variable `STRESS` is `1`.
    static let isFull = ProcessInfo.processInfo.environment["STRESS"] == "1"

    /// The number of loads that each of eight tests cancels.
    static let loads = isFull ? 12_500 : 1_000

    /// The count for a full run, or a tenth of it.
    static func count(_ count: Int) -> Int { isFull ? count : count / 10 }
}
