import Foundation

/// How much the tests of stress do.
enum Stress {
    /// Whether `STRESS=1` asks for everything.
    static let isFull = ProcessInfo.processInfo.environment["STRESS"] == "1"

    /// How many loads are cancelled by one test, of which there are eight.
    static let loads = isFull ? 12_500 : 1_000

    /// As many as there are to be, or some of them.
    static func count(_ count: Int) -> Int { isFull ? count : count / 10 }
}
