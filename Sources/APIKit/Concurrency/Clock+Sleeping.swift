/// The reason for a sleep, for the clock of a test.
///
/// It is a task-local value, because `Clock.sleep` has no parameter for it.
package struct SleepPurpose: Sendable {
    @TaskLocal package static var current: SleepPurpose?

    /// Whether the sleep limits other work, which normally ends first.
    package let isLimit: Bool

    /// Returns the name of the code that sleeps and its request, without secrets.
    package let text: @Sendable () -> String

    /// A sleep that the work waits for.
    package static func delay(_ text: @escaping @Sendable () -> String) -> SleepPurpose {
        SleepPurpose(isLimit: false, text: text)
    }

    /// A sleep that limits other work, which normally ends first.
    package static func limit(_ text: @escaping @Sendable () -> String) -> SleepPurpose {
        SleepPurpose(isLimit: true, text: text)
    }
}

extension Clock where Duration == Swift.Duration {
    /// Sleeps for a duration, and passes the purpose to the clock of a test.
    package func sleep(for duration: Duration, as purpose: SleepPurpose) async throws {
        try await sleep(until: now.advanced(by: duration), as: purpose)
    }

    /// Returns a closure that sleeps until a duration has passed since this call.
    ///
    /// The time before the sleep counts, even the time between two lines.
    func alarm(
        after duration: Duration,
        as purpose: SleepPurpose
    ) -> @Sendable () async throws -> Void {
        let deadline = now.advanced(by: duration)
        return { try await sleep(until: deadline, as: purpose) }
    }

    /// Sleeps until a deadline, and passes the purpose to the clock of a test.
    ///
    /// The limits on each clock of the system share a timer.
    package func sleep(until deadline: Instant, as purpose: SleepPurpose) async throws {
        if purpose.isLimit {
            if self is ContinuousClock, let deadline = deadline as? ContinuousClock.Instant {
                return try await SharedTimers.continuous.sleep(until: deadline)
            }
            if self is SuspendingClock, let deadline = deadline as? SuspendingClock.Instant {
                return try await SharedTimers.suspending.sleep(until: deadline)
            }
        }
        try await SleepPurpose.$current.withValue(purpose) {
            try await sleep(until: deadline, tolerance: nil)
        }
    }
}

/// Runs an operation, such as a transfer, at the same time as the sleep that limits it.
///
/// When one ends, it cancels the other and waits for it.
///
/// - Returns: The first result.
package func race<Value: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Value,
    _ limit: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await operation() }
        group.addTask { try await limit() }
        defer { group.cancelAll() }
        // A group of two tasks always has a next result.
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}

/// Starts a stopwatch, and returns a closure that reads it.
func stopwatch(_ clock: some Clock<Duration>) -> @Sendable () -> Duration {
    let start = clock.now
    return { start.duration(to: clock.now) }
}

extension Duration {
    /// The longest duration that every clock can wait for: some 73 billion years.
    ///
    /// Clocks trap on times above `Int64.max` seconds. The sum of two such durations is below that
    /// limit.
    package static let longest: Duration = .seconds(Int64.max / 4)

    /// The duration, clamped to the longest one in either direction.
    package var bounded: Duration { max(.zero - .longest, min(self, .longest)) }

    /// Creates a duration from any number of seconds.
    ///
    /// A negative number becomes zero. NaN and numbers above 30 billion years become the longest
    /// duration, because their conversion would trap.
    init(clampingSeconds seconds: Double) {
        self = seconds < 1e18 ? .seconds(max(seconds, 0)) : .longest
    }
}
