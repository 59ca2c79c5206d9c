/// A counting semaphore that gives its permits to callers in the order of their calls.
///
/// Any number of tasks may use an instance. Each operation takes constant time.
final class Semaphore: Sendable {
    private struct State {
        var permits: Int
        /// The waiting callers, by their numbers.
        var waiters: [Int: Waiter<Void>] = [:]
        /// The lowest number that a waiter can have.
        var first = 0
        /// The number of the next caller that has to wait.
        var next = 0
    }

    private let state: Locked<State>

    /// Creates a semaphore.
    ///
    /// - Parameter permits: The number of permits. If it is less than one, every caller waits.
    init(_ permits: Int) {
        state = Locked(State(permits: permits))
    }

    /// Waits for a permit and takes it.
    ///
    /// - Throws: `CancellationError` if the task is canceled before it has a permit.
    func acquire() async throws {
        try Task.checkCancellation()
        let waiter = Waiter<Void>()
        let number = state.withLock { state -> Int? in
            guard state.permits < 1 else {
                state.permits -= 1
                return nil
            }
            defer { state.next += 1 }
            state.waiters[state.next] = waiter
            return state.next
        }
        guard let number else { return }
        try await waiter.wait { state.withLock { $0.waiters[number] = nil } }
    }

    /// Releases a permit, and passes it to the caller that has waited longest.
    func release() {
        // A waiter that is canceled concurrently takes no permit.
        while let waiter = nextWaiter() {
            if waiter.answer(.success(())) { return }
        }
    }

    private func nextWaiter() -> Waiter<Void>? {
        state.withLock { state in
            while state.first < state.next {
                defer { state.first += 1 }
                if let waiter = state.waiters.removeValue(forKey: state.first) { return waiter }
            }
            state.permits += 1
            return nil
        }
    }
}
