import Foundation

/// The size of stress tests.
enum Stress {
    /// Whether the environment variable `STRESS` is `1`.
    static let isFull = ProcessInfo.processInfo.environment["STRESS"] == "1"

    /// The number of loads that each race test cancels.
    static let loads = isFull ? 12_500 : 1_000

    /// Returns the count for a full run, and a tenth of it otherwise.
    static func count(_ count: Int) -> Int { isFull ? count : count / 10 }
}
