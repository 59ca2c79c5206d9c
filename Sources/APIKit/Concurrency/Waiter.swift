/// A one-shot result that a single task awaits.
///
/// The result may be set before the wait begins.
package final class Waiter<Value: Sendable>: Sendable {
    private enum State {
        case pending(CheckedContinuation<Void, Never>?)
        case completed(Result<Value, any Error>)
    }

    private let state = Locked(State.pending(nil))

    /// Creates a waiter without a result.
    package init() {}

    /// The first result, which one task may await.
    package var value: Value {
        get async throws {
            // The continuation only wakes the task, and the lock passes the result: if a
            // continuation resumes before its task is suspended, the thread sanitizer sees no order
            // between the two.
            while true {
                if case .completed(let result) = state.withLock({ $0 }) { return try result.get() }
                await withCheckedContinuation { continuation in
                    let isCompleted = state.withLock { state in
                        if case .completed = state { return true }
                        state = .pending(continuation)
                        return false
                    }
                    if isCompleted { continuation.resume() }
                }
            }
        }
    }

    /// Waits for the result, or throws `CancellationError` as soon as the calling task is canceled.
    ///
    /// - Parameter onCancel: Called when the task is canceled, before the result is set.
    /// - Returns: The value of the result.
    /// - Throws: The error of the result, or `CancellationError`.
    package func wait(onCancel: @Sendable () -> Void = {}) async throws -> Value {
        try await withTaskCancellationHandler {
            try await value
        } onCancel: {
            onCancel()
            answer(.failure(CancellationError()))
        }
    }

    /// Throws `CancellationError` if the result has already been set.
    package func checkCancellation() throws {
        if case .completed = state.withLock({ $0 }) { throw CancellationError() }
    }

    /// Sets the result, unless it has been set.
    ///
    /// Call it with no lock held. Resuming takes a lock of the runtime that is also held while
    /// cancellation handlers run. If a handler waits for a lock of the caller, both deadlock.
    ///
    /// - Returns: Whether this call has set the result.
    @discardableResult
    package func answer(_ result: Result<Value, any Error>) -> Bool {
        let previous = state.withLock { state in
            defer { if case .pending = state { state = .completed(result) } }
            return state
        }
        guard case .pending(let continuation) = previous else { return false }
        continuation?.resume()
        return true
    }
}

extension Result where Failure == any Error {
    /// Returns the outcome of an asynchronous operation.
    package static func of(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Success
    ) async -> Self {
        do {
            return .success(try await operation())
        } catch {
            return .failure(error)
        }
    }
}
