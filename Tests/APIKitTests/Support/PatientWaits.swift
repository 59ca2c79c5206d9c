import APIKitTesting

// A test waits for a signal, and a busy machine may take any time to send it. These functions replace
// those with a limit in seconds. Their own limit is that of a suite, and only ends a wait in vain.

extension ManualClock {
    /// Waits until a task sleeps on the clock.
    func waitForSleepers() async { await waitForSleepers(1) }

    /// Waits until as many sleep on the clock.
    func waitForSleepers(_ count: Int) async { await waitForSleepers(count, within: .seconds(600)) }
}

extension MockServer {
    /// Waits for the next request.
    func nextRequest() async throws -> RecordedRequest { try await nextRequest(.any) }

    /// Waits for the next request that matches a pattern.
    func nextRequest(_ pattern: RequestPattern) async throws -> RecordedRequest {
        try await nextRequest(pattern, within: .seconds(600))
    }
}
