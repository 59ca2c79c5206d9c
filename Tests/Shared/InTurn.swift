import Foundation
import Testing

@testable import APIKit

/// A trait that limits how many tests of its suites run at once, and how long each of them runs.
///
/// Swift Testing starts all tests at once. Sessions then hold thousands of open files and hundreds of
/// threads, and the switches between threads take as long as the tests. On Linux, a session that waits for
/// a response also keeps a processor busy, and it waits longer if other tests wait for the same threads. So
/// tests without a session take turns too, and with the thread sanitizer, all tests run in parallel within
/// their waits. Full stress has no limit on their number.
///
/// The time limit of a suite only cancels a test. A wait for a thread, or for another task, continues.
/// Such a test ends the process with its name after the number of minutes in the environment variable
/// `TEST_MINUTES`, or after twice the time limit.
struct InTurn: SuiteTrait, TestTrait, TestScoping {
    private static let turns = Semaphore(
        Stress.isFull ? .max : ProcessInfo.processInfo.activeProcessorCount)
    private static let minutes =
        ProcessInfo.processInfo.environment["TEST_MINUTES"].flatMap { Int($0) } ?? 20
    // A queue for each test would cost more than many tests do.
    private static let ends = DispatchQueue(label: "InTurn")

    // The trait of a suite counts its tests, not the suite. Only a `TestTrait` can be recursive.
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.turns.acquire()
        defer { Self.turns.release() }
        let end = DispatchWorkItem {
            fatalError("\(test.name) has not ended after \(Self.minutes) min")
        }
        Self.ends.asyncAfter(deadline: .now() + .seconds(60 * Self.minutes), execute: end)
        defer { end.cancel() }
        try await function()
    }
}

extension Trait where Self == InTurn {
    static var inTurn: Self { Self() }
}
