import APIKit

/// A clock that records each delay instead of waiting.
final class ImpatientClock: Clock {
    typealias Instant = ContinuousClock.Instant

    private let state = Locked((now: ContinuousClock.now, waits: [Duration]()))

    var waits: [Duration] { state.withLock { $0.waits } }
    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.waits.append(state.now.duration(to: deadline))
            state.now = deadline
        }
    }
}
