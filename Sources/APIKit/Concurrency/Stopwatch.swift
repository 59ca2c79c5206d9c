/// Measures time from its creation, on any clock.
package struct Stopwatch: Sendable {
    /// The time since the creation.
    package let elapsed: @Sendable () -> Duration
    /// Sleeps until a time after the creation.
    package let sleep: @Sendable (_ until: Duration) async throws -> Void

    package init(_ clock: some Clock<Duration>) {
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: start.advanced(by: $0.bounded), tolerance: nil) }
    }
}
