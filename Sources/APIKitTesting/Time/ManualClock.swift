import APIKit
import Foundation

/// A clock that stands still until a test advances it.
///
/// With this clock, the delays of a ``MockServer`` and the waits of the code under test take no real
/// time. The clock is safe to use from any task.
///
/// ```swift
/// async let user = client.user(1)  // arrives after an hour
/// await clock.advanceToNextDeadline()
/// #expect(try await user.name == "Ada")
/// ```
///
/// If the clock stands still for 20 to 40 seconds of real time while tasks sleep on it, the test may wait
/// forever. The clock then prints its sleepers to the standard error, once.
public final class ManualClock: Clock, Sendable {
    private struct State {
        var now = Instant(offset: .zero)
        var sleepers = Sleepers()
        /// The number of advances, and of sleeps that began or ended.
        var changes = 0
        var isWatched = false

        var text: String {
            let tasks = sleepers.count == 1 ? "1 task sleeps" : "\(sleepers.count) tasks sleep"
            return "\(tasks) on the clock\(list)"
        }

        /// The end of a sentence about the sleepers, and the list of them.
        var list: String {
            ", which is at \(now.offset)"
                + (sleepers.count == 0 ? "." : ":\(sleepers.list(at: now))")
        }
    }

    private let state = Locked(State())
    private let sleeping = WatchedCount()
    private let delaying = WatchedCount()
    private let standstill: Duration
    private let report: @Sendable (String) -> Void

    /// Creates a clock at instant zero.
    public convenience init() {
        self.init(standstill: .seconds(20), report: Notice.write)
    }

    /// Creates a clock that reports a standstill to a closure, for the tests of APIKit.
    package init(standstill: Duration, report: @escaping @Sendable (String) -> Void) {
        self.standstill = standstill
        let test = TestFailure.currentTest.map { "In the test \($0.name), a" } ?? "A"
        self.report = { sleepers in
            report(
                """
                \(test) ManualClock has stood still for \(standstill) of real time. \(sleepers)
                Advance the clock, or cancel the tasks.
                """)
        }
    }

    /// The current instant.
    public var now: Instant { state.withLock { $0.now } }

    /// The number of sleeping tasks, only for the tests of APIKit.
    package var sleeperCount: Int { sleeping.count }

    /// Whether a task watches for a standstill, only for the tests of APIKit.
    package var isWatched: Bool { state.withLock { $0.isWatched } }

    /// Zero, because the clock is exact.
    public var minimumResolution: Duration { .zero }

    /// Suspends until the clock reaches a deadline.
    ///
    /// - Throws: `CancellationError` if the task is canceled first.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let waiter = Waiter<Void>()
        let id = state.withLock { state in
            deadline > state.now ? state.sleepers.add(waiter, until: deadline) : nil
        }
        guard let id else { return }
        stateChanged()
        try await waiter.wait {
            state.withLock { $0.sleepers.remove(id) }
            stateChanged()
        }
    }

    private func stateChanged() {
        let (reached, startsWatch) = state.withLock { state in
            let startsWatch = !state.isWatched && state.sleepers.count > 0
            if startsWatch { state.isWatched = true }
            state.changes += 1
            let reached =
                sleeping.update(state.sleepers.count) + delaying.update(state.sleepers.delays)
            return (reached, startsWatch)
        }
        for waiter in reached { waiter.answer(.success(())) }
        if startsWatch { watchForStandstill() }
    }

    /// Reports the sleepers if nothing changes, and stops when no task sleeps.
    private func watchForStandstill() {
        Task.detached { [weak self, standstill] in
            var seen: Int?
            while let changes = self?.watch(since: seen) {
                seen = changes
                try await Task.sleep(for: standstill)
            }
        }
    }

    /// Returns the number of changes, or `nil` at the end of the watch.
    private func watch(since seen: Int?) -> Int? {
        let state = state.withLock { state in
            // Stays true after a report, so that no second watch starts.
            state.isWatched = state.sleepers.count > 0
            return state
        }
        guard state.isWatched else { return nil }
        if state.changes != seen { return state.changes }
        report(state.text)
        return nil
    }

    /// Advances the clock, and resumes the sleepers whose deadlines have passed, the earliest first.
    ///
    /// A negative duration counts as zero.
    public func advance(by duration: Duration) {
        advance { $0.now.advanced(by: max(.zero, duration)) }
    }

    /// Advances the clock to an instant, and returns the duration, or `nil` if there is no instant.
    @discardableResult
    private func advance(to instant: (State) -> Instant?) -> Duration? {
        let advance = state.withLock { state -> (Duration, [Waiter<Void>])? in
            guard let instant = instant(state) else { return nil }
            let duration = state.now.duration(to: instant)
            state.now = instant
            return (duration, state.sleepers.takeDue(at: instant))
        }
        guard let (duration, due) = advance else { return nil }
        stateChanged()
        for waiter in due { waiter.answer(.success(())) }
        return duration
    }

    /// Waits until a task sleeps, and advances the clock to the earliest deadline of all sleepers.
    ///
    /// Several sleepers with that deadline resume in the order in which they began to sleep.
    ///
    /// A time limit alone does not end the wait. A time limit is the sleep of a `Deadline`, or of a
    /// timeout that a ``MockServer`` applies. While a request is in progress, only its limits sleep,
    /// and the request fails if one of them passes. If another task sleeps too and a limit is the
    /// earliest deadline, the clock advances to the limit. Otherwise, use ``advance(by:)`` to let a
    /// limit pass.
    ///
    /// The clock cannot know whether a task is about to sleep. If several tasks have delays, first
    /// wait for all of them with ``waitForSleepers(_:within:fileID:filePath:line:column:)``.
    ///
    /// Call it in a task of the test. In a detached task or a callback, Swift Testing cannot attribute
    /// the failure to a test, and drops it.
    ///
    /// - Parameters:
    ///   - limit: The longest wait, in real time. A longer wait fails the test.
    ///   - fileID: The file of a failure.
    ///   - filePath: The path of that file.
    ///   - line: The line of a failure.
    ///   - column: The column of a failure.
    /// - Returns: The duration by which the clock advanced. It is zero if the wait was too long or
    ///   the task was canceled.
    @discardableResult
    public func advanceToNextDeadline(
        within limit: Duration = .seconds(60),
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: Int = #line,
        column: Int = #column
    ) async -> Duration {
        let end = ContinuousClock.now + limit.bounded
        while await delaying.reaches(1, within: ContinuousClock.now.duration(to: end)) {
            let duration = advance { $0.sleepers.delays > 0 ? $0.sleepers.earliestDeadline : nil }
            // If there is no duration, the sleeper was canceled concurrently.
            if let duration { return duration }
        }
        guard !Task.isCancelled else { return .zero }
        let (limits, list) = state.withLock { ($0.sleepers.count, $0.list) }
        TestFailure(
            limits == 0
                ? "After \(limit), no task sleeps on the clock\(list)\n\(remedy)"
                : """
                After \(limit), only time limits sleep on the clock\(list)
                If a delay should sleep too, pass the clock to its server or client. To let a time \
                limit pass, use advance(by:).
                """,
            at: SourceCodeLocation(fileID, filePath, line, column)
        ).report()
        return .zero
    }

    /// Waits until a number of tasks sleep on the clock.
    ///
    /// A time limit counts too: the sleep of a `Deadline`, or of a timeout that a ``MockServer``
    /// applies. So a call with a `Deadline` whose response is delayed counts as two.
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
        let (sleepers, list) = state.withLock { ($0.sleepers.count, $0.list) }
        TestFailure(
            """
            After \(limit), \(sleepers) of \(count) tasks sleep on the clock\(list)
            \(remedy)
            """,
            at: SourceCodeLocation(fileID, filePath, line, column)
        ).report()
    }

    private var remedy: String { "Pass the clock to the server or to the code that sleeps." }
}

extension ManualClock: CustomStringConvertible {
    /// The time of the clock, and its sleepers with their remaining times and deadlines.
    ///
    /// The sleeps of APIKit have names, such as `Retry` with its attempt and its request, in which
    /// secrets are masked.
    public var description: String { state.withLock { $0.text } }
}

extension ManualClock {
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
}
