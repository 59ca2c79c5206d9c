import APIKit
import Foundation

/// A clock that stands still until a test advances it.
///
/// With this clock, the delays of a ``MockServer`` and the waits of the code under test take no real
/// time. The clock is safe to use from any task.
///
/// ```swift
/// async let user = client.user(1)         // arrives after an hour
/// await clock.waitForSleepers()
/// clock.advance(by: .seconds(3600))
/// #expect(try await user.name == "Ada")
/// ```
public final class ManualClock: Clock, Sendable {
    /// An instant of the clock, as a duration since the clock's creation.
    public struct Instant: InstantProtocol {
        let offset: Duration

        /// Returns the instant that is later by a duration.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: (offset + duration.bounded).bounded)
        }

        /// Returns the duration from this instant to another.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        /// Returns whether an instant is earlier than another.
        public static func < (first: Instant, second: Instant) -> Bool {
            first.offset < second.offset
        }
    }

    private struct Sleeper {
        let deadline: Instant
        let waiter: Waiter<Void>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [UInt64: Sleeper] = [:]
        var count: UInt64 = 0
    }

    private let state = Locked(State())
    private let sleeping = WatchedCount()

    /// Creates a clock at instant zero.
    public init() {}

    /// The current instant.
    public var now: Instant { state.withLock { $0.now } }

    /// The number of sleeping tasks, only for the tests of APIKit.
    package var sleeperCount: Int { sleeping.count }

    /// Zero, because the clock is exact.
    public var minimumResolution: Duration { .zero }

    /// Suspends until the clock reaches a deadline.
    ///
    /// - Throws: `CancellationError` if the task is canceled first.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let waiter = Waiter<Void>()
        let id = state.withLock { state -> UInt64? in
            guard deadline > state.now else { return nil }
            state.count += 1
            state.sleepers[state.count] = Sleeper(deadline: deadline, waiter: waiter)
            return state.count
        }
        guard let id else { return }
        updateSleeping()
        try await withTaskCancellationHandler {
            try await waiter.value
        } onCancel: {
            state.withLock { $0.sleepers[id] = nil }
            updateSleeping()
            waiter.answer(.failure(CancellationError()))
        }
    }

    private func updateSleeping() {
        let reached = state.withLock { sleeping.update($0.sleepers.count) }
        for waiter in reached { waiter.answer(.success(())) }
    }

    /// Advances the clock, and resumes the sleepers whose deadlines have passed, the earliest first.
    ///
    /// A negative duration is zero.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: max(.zero, duration))
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
        }
        updateSleeping()
        for (_, sleeper) in woken { sleeper.waiter.answer(.success(())) }
    }

    /// Waits until a number of tasks sleep on the clock.
    ///
    /// Call it in a task of the test. In a detached task or a callback, Swift Testing cannot attribute
    /// the failure to a test, and drops it.
    ///
    /// - Parameters:
    ///   - count: The number of tasks that sleep at the same time.
    ///   - limit: The longest wait, in real time. A longer wait fails the test.
    ///   - fileID: The file of a failure.
    ///   - filePath: The path of that file.
    ///   - line: The line of a failure.
    ///   - column: The column of a failure.
    public func waitForSleepers(
        _ count: Int = 1,
        within limit: Duration = .seconds(60),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line,
        column: Int = #column
    ) async {
        guard await !sleeping.reaches(count, within: limit), !Task.isCancelled else { return }
        TestFailure(
            """
            After \(limit), \(sleeping.count) of \(count) tasks sleep on the clock. Pass the clock to \
            the server or to the code that sleeps.
            """,
            at: SourceCodeLocation(fileID, filePath, line, column)
        ).record()
    }
}
