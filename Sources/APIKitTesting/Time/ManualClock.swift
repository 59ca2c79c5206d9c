import APIKit
import Foundation

/// A clock that stands still until a test advances it.
///
/// Given to a ``MockServer`` it makes delays take no time, and given to the code under test
/// whatever waits there. All of it may be used from any task.
///
/// ```swift
/// async let user = client.user(1)         // answered after an hour
/// await clock.waitForSleepers()
/// clock.advance(by: .seconds(3600))
/// #expect(try await user.name == "Ada")
/// ```
public final class ManualClock: Clock, Sendable {
    /// A point in the time of the clock, as a duration since it was made.
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

        /// Tells whether an instant is earlier than another.
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

    /// Creates a clock at its first instant.
    public init() {}

    /// The instant that the clock stands at.
    public var now: Instant { state.withLock { $0.now } }

    /// How many sleep on the clock.
    package var sleeperCount: Int { sleeping.count }

    /// No time at all: the clock is exact.
    public var minimumResolution: Duration { .zero }

    /// Suspends until the clock is advanced to a deadline.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
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

    /// Moves the clock forward and wakes whoever was waiting for that, the earliest first.
    ///
    /// It never goes back: a negative duration is none.
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

    /// Waits until somebody sleeps on the clock.
    ///
    /// Call it in a task of the test: in a detached one, or in a callback, Swift Testing cannot tell
    /// which test failed, and the failure is lost.
    ///
    /// - Parameters:
    ///   - count: How many sleepers there have to be at once.
    ///   - limit: The real time after which the wait is given up, which is a failure of the test.
    ///   - fileID: The place to report that failure at.
    ///   - filePath: The place to report that failure at.
    ///   - line: The place to report that failure at.
    ///   - column: The place to report that failure at.
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
            "Waited \(limit) for \(count) to sleep on the clock, but \(sleeping.count) did.",
            at: SourceCodeLocation(fileID, filePath, line, column)
        ).record()
    }
}
