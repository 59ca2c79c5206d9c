/// A counting semaphore that gives its permits to callers in the order of their calls.
///
/// Any number of tasks may use an instance.
final class Semaphore: Sendable {
    private let state: Locked<(permits: Int, waiters: [Waiter<Void>])>

    /// Creates a semaphore.
    ///
    /// - Parameter permits: The number of permits. If it is less than one, every caller waits.
    init(_ permits: Int) {
        state = Locked((permits, []))
    }

    /// Waits for a permit and takes it.
    ///
    /// - Parameter queue: Called under the lock if the caller has to wait. It may refuse to.
    /// - Throws: The error of `queue`, or `CancellationError` if the task is canceled before it has a
    ///   permit.
    func acquire(queue: () throws -> Void = {}) async throws {
        try Task.checkCancellation()
        let waiter = Waiter<Void>()
        let waits = try state.withLock { state in
            guard state.permits < 1 else {
                state.permits -= 1
                return false
            }
            try queue()
            state.waiters.append(waiter)
            return true
        }
        guard waits else { return }
        try await waiter.wait {
            state.withLock { state in
                let index = state.waiters.firstIndex { $0 === waiter }
                if let index { state.waiters.remove(at: index) }
            }
        }
    }

    /// Releases a permit, and passes it to the caller that has waited longest.
    func release() {
        let waiter = state.withLock { state -> Waiter<Void>? in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
            state.permits += 1
            return nil
        }
        // A waiter that is canceled concurrently takes no permit.
        if let waiter, !waiter.answer(.success(())) { release() }
    }
}
