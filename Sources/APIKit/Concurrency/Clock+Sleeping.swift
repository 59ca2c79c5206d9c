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

    /// Sleeps until a deadline, and passes the purpose to the clock of a test.
    package func sleep(until deadline: Instant, as purpose: SleepPurpose) async throws {
        try await SleepPurpose.$current.withValue(purpose) {
            try await sleep(until: deadline, tolerance: nil)
        }
    }

    /// Calls a closure at a deadline, on any thread.
    ///
    /// All alarms on a system clock share one timer. On any other clock, each alarm is a sleeping
    /// task.
    ///
    /// - Parameters:
    ///   - deadline: The time of the call. If it has passed, the closure may be called at once.
    ///   - purpose: The reason for the alarm.
    ///   - ring: Called with `nil`, or with the error of the clock.
    /// - Returns: A closure that cancels the alarm. Call it when the alarm is no longer needed.
    func alarm(
        at deadline: Instant, as purpose: SleepPurpose,
        _ ring: @escaping @Sendable ((any Error)?) -> Void
    ) -> @Sendable () -> Void {
        if self is ContinuousClock, let deadline = deadline as? ContinuousClock.Instant {
            return SharedTimers.continuous.schedule(at: deadline) { ring(nil) }
        }
        if self is SuspendingClock, let deadline = deadline as? SuspendingClock.Instant {
            return SharedTimers.suspending.schedule(at: deadline) { ring(nil) }
        }
        let task = Task {
            do {
                try await sleep(until: deadline, as: purpose)
                ring(nil)
            } catch {
                if !Task.isCancelled { ring(error) }
            }
        }
        return { task.cancel() }
    }

    /// Runs an operation, such as a transfer, and cancels it when its time is up.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the operation is canceled.
    ///   - purpose: The reason for the limit.
    ///   - error: Makes the error to throw when the time is up.
    ///   - operation: The operation, which runs in another task.
    /// - Returns: The result of the operation.
    /// - Throws: The error of the operation, `CancellationError` if the calling task was canceled
    ///   first, or the result of `error` if the time was up first. It may also be the error of the
    ///   clock. The function waits for the end of the operation before it throws.
    package func limiting<Value: Sendable>(
        until deadline: Instant, as purpose: SleepPurpose,
        throwing error: @escaping @Sendable () -> any Error,
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let first = Waiter<Value>()
        // The handler is set before the operation starts, so no cancellation comes too early for it.
        return try await withTaskCancellationHandler {
            try Task.checkCancellation()
            let cancelAlarm = alarm(at: deadline, as: purpose) { failure in
                first.answer(.failure(failure ?? error()))
            }
            defer { cancelAlarm() }
            let task = Task.startingHere {
                let result = await Result.of {
                    // The time may have been up at the start.
                    try first.checkCancellation()
                    return try await operation()
                }
                first.answer(result)
            }
            do {
                return try await first.value
            } catch {
                task.cancel()
                _ = await task.result
                throw error
            }
        } onCancel: {
            first.answer(.failure(CancellationError()))
        }
    }
}

extension Task where Failure == any Error {
    /// Starts a task on the calling thread, which runs it until it waits.
    ///
    /// A new task would wake another thread. An older system has only those.
    package static func startingHere(
        _ work: sending @escaping @isolated(any) () async throws -> Success
    ) -> Self {
        #if compiler(>=6.2)
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return immediate(operation: work)
        }
        #endif
        return Task(operation: work)
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
