import Testing

@testable import APIKit

/// A trait that limits how many tests of its suites run at once.
///
/// Swift Testing starts all tests at once. Sessions then hold thousands of open files and hundreds of
/// threads, and the switches between threads take as long as the tests. Full stress has no limit.
struct InTurn: SuiteTrait, TestTrait, TestScoping {
    private static let turns = Semaphore(Stress.isFull ? .max : 16)

    // The trait of a suite counts its tests, not the suite. Only a `TestTrait` can be recursive.
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.turns.acquire()
        defer { Self.turns.release() }
        try await function()
    }
}

extension Trait where Self == InTurn {
    static var inTurn: Self { Self() }
}
