import APIKitTesting

// A busy machine can be slow, so tests do not limit their waits to seconds. These functions replace
// those of APIKitTesting, whose default limit is a minute. The limit here is that of the suites,
// ten minutes.

extension ManualClock {
    func waitForSleepers() async { await waitForSleepers(1) }

    /// Waits until a number of tasks sleep on the clock.
    func waitForSleepers(_ count: Int) async { await waitForSleepers(count, within: .seconds(600)) }

    /// Waits until a task sleeps, and advances the clock to the earliest deadline.
    @discardableResult
    func advanceToNextDeadline() async -> Duration {
        await advanceToNextDeadline(within: .seconds(600))
    }
}

extension MockServer {
    func nextRequest() async throws -> RecordedRequest { try await nextRequest(.any) }

    /// Waits for the next request that matches a pattern.
    func nextRequest(_ pattern: RequestPattern) async throws -> RecordedRequest {
        try await nextRequest(pattern, within: .seconds(600))
    }
}
