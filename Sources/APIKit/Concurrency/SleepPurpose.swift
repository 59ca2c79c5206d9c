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
}
