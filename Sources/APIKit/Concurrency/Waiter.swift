/// Somebody who waits for an answer, and gets exactly one.
///
/// The answer may come before the wait begins, so whoever is cancelled at the wrong moment needs no
/// special care.
package final class Waiter<Value: Sendable>: Sendable {
    private enum State {
        case unanswered(CheckedContinuation<Void, Never>?)
        case answered(Result<Value, any Error>)
    }

    private let state = Locked(State.unanswered(nil))

    /// Creates a waiter that has no answer yet.
    package init() {}

    /// The first answer, which one task may wait for.
    package var value: Value {
        get async throws {
            // The continuation wakes, and the lock hands over: the thread sanitizer does not see
            // that a continuation which is resumed before its task is suspended orders the two.
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

    /// Throws if the answer is there already, so that nobody has any use for another.
    package func checkCancellation() throws {
        if case .answered = state.withLock({ $0 }) { throw CancellationError() }
    }

    /// Answers, unless that has been done.
    ///
    /// To be called with no lock held: whoever cancels the waiting task holds a lock of the system
    /// that is taken here as well, and may be waiting for the other.
    ///
    /// - Returns: Whether this is the answer.
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
