import APIKit

/// The time since a load began, on whatever clock.
struct Timeline: Sendable {
    /// Sleeps until a time after the beginning.
    let sleep: @Sendable (_ until: Duration) async throws -> Void
    /// The time that has passed since the beginning.
    let elapsed: @Sendable () -> Duration

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        sleep = { try await clock.sleep(until: start.advanced(by: $0.bounded), tolerance: nil) }
        elapsed = { start.duration(to: clock.now) }
    }
}
