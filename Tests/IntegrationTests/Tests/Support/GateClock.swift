/// A clock on which nobody wakes up before the gate is opened.
struct GateClock: Clock {
    private let opening: AsyncStream<Never>
    private let gate: AsyncStream<Never>.Continuation

    init() {
        (opening, gate) = AsyncStream.makeStream()
    }

    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { .zero }

    func open() { gate.finish() }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        for await _ in opening {}
        try Task.checkCancellation()
    }
}
