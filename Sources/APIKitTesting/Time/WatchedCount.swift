import APIKit

/// A count that tasks can wait for, up to a time limit.
final class WatchedCount: Sendable {
    private struct State {
        var count = 0
        var watchers: [ObjectIdentifier: (threshold: Int, waiter: Waiter<Void>)] = [:]
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.count } }

    /// Sets the count.
    ///
    /// - Returns: The waiters whose threshold is reached. Complete them without holding a lock.
    func update(_ count: Int) -> [Waiter<Void>] {
        state.withLock { state in
            state.count = count
            return state.watchers.values.filter { $0.threshold <= count }.map(\.waiter)
        }
    }

    /// Waits until the count reaches a threshold, and returns whether it has.
    ///
    /// The wait ends after the limit, in real time, or when the task is canceled.
    func reaches(_ threshold: Int, within limit: Duration) async -> Bool {
        let waiter = Waiter<Void>()
        let isReached = state.withLock { state in
            guard state.count < threshold else { return true }
            state.watchers[ObjectIdentifier(waiter)] = (threshold, waiter)
            return false
        }
        if isReached { return true }
        let timer = Task {
            try await Task.sleep(for: limit.bounded)
            waiter.answer(.failure(CancellationError()))
        }
        defer {
            timer.cancel()
            state.withLock { $0.watchers[ObjectIdentifier(waiter)] = nil }
        }
        // The count may have reached the threshold since the timer fired.
        return (try? await waiter.wait()) != nil || count >= threshold
    }
}
