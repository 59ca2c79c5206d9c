/// A number of permits, which go to callers in the order in which they ask.
///
/// Any number of tasks may use one. Each operation takes the same time however many callers wait.
final class Semaphore: Sendable {
    private struct State {
        var permits: Int
        /// The callers that wait, by their numbers.
        var waiters: [Int: Waiter<Void>] = [:]
        /// No waiter has a lower number.
        var first = 0
        /// The number of the next caller that waits.
        var next = 0
    }

    private let state: Locked<State>

    /// Creates a semaphore.
    ///
    /// - Parameter permits: The number of permits. With less than one, every caller waits.
    init(_ permits: Int) {
        state = Locked(State(permits: permits))
    }

    /// Takes a permit, or waits for one.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before it has the permit.
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
        try await withTaskCancellationHandler {
            try await waiter.value
        } onCancel: {
            state.withLock { $0.waiters[number] = nil }
            waiter.answer(.failure(CancellationError()))
        }
    }

    /// Returns a permit, which goes to the caller that has waited longest.
    func release() {
        // A waiter that is cancelled at the same time leaves the permit to the next.
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
