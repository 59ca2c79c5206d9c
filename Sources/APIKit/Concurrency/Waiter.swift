/// A one-shot result that a single task awaits.
///
/// The result may be set before the wait begins.
package final class Waiter<Value: Sendable>: Sendable {
    private enum State {
        case unanswered(CheckedContinuation<Void, Never>?)
        case answered(Result<Value, any Error>)
    }

    private let state = Locked(State.unanswered(nil))

    /// Creates a waiter without a result.
    package init() {}

    /// The first result, which one task may await.
    package var value: Value {
        get async throws {
            // The continuation only wakes the task, and the lock passes the result: if a
            // continuation resumes before its task is suspended, the thread sanitizer sees no order
            // between the two.
            while true {
                if case .answered(let result) = state.withLock({ $0 }) { return try result.get() }
                await withCheckedContinuation { continuation in
                    let isAnswered = state.withLock { state in
                        if case .answered = state { return true }
                        state = .unanswered(continuation)
                        return false
                    }
                    if isAnswered { continuation.resume() }
                }
            }
        }
    }

    /// Throws `CancellationError` if the result has already been set.
    package func checkCancellation() throws {
        if case .answered = state.withLock({ $0 }) { throw CancellationError() }
    }

    /// Sets the result, unless it has been set.
    ///
    /// Call it with no lock held. Resuming takes a lock of the runtime, under which cancellation
    /// handlers run. If a handler then waits for a lock of the caller, both deadlock.
    ///
    /// - Returns: Whether this call has set the result.
    @discardableResult
    package func answer(_ result: Result<Value, any Error>) -> Bool {
        let previous = state.withLock { state in
            defer { if case .unanswered = state { state = .answered(result) } }
            return state
        }
        guard case .unanswered(let continuation) = previous else { return false }
        continuation?.resume()
        return true
    }
}
