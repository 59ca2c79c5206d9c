extension SingleFlight {
    /// A caller that waits, and is answered exactly once: by the flight, or because it leaves.
    final class Waiter: Sendable {
        private enum State {
            case unanswered(CheckedContinuation<Value, any Error>?)
            case answered(Result<Value, any Error>)
        }

        private let state = Locked(State.unanswered(nil))

        /// The first answer, which may have been given before anybody asks for it.
        var value: Value {
            get async throws {
                try await withCheckedThrowingContinuation { continuation in
                    let result = state.withLock { state -> Result<Value, any Error>? in
                        if case .answered(let result) = state { return result }
                        state = .unanswered(continuation)
                        return nil
                    }
                    if let result { continuation.resume(with: result) }
                }
            }
        }

        /// Answers, unless that has been done.
        func answer(_ result: Result<Value, any Error>) {
            let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
                guard case .unanswered(let continuation) = state else { return nil }
                state = .answered(result)
                return continuation
            }
            continuation?.resume(with: result)
        }
    }
}
