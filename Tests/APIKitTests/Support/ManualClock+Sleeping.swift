import APIKitTesting

extension ManualClock {
    /// Sleeps up to the first second of the clock, and not at all after that.
    func sleepUntilOneSecond() async throws {
        try await sleep(until: Instant.oneSecond)
    }

    /// Sleeps for a while, whether the task is cancelled or not.
    func sleepThroughCancellation(for duration: Duration) async {
        // A task of its own is not cancelled with the one that waits for it.
        await Task { try? await sleep(for: duration) }.value
    }
}

extension ManualClock.Instant {
    fileprivate static let oneSecond = ManualClock().now.advanced(by: .seconds(1))
}
