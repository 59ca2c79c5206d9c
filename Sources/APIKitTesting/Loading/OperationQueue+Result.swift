import Foundation

extension OperationQueue {
    /// Runs an operation, and returns the value that it passes to its handler.
    ///
    /// Returns `nil` if the calling task is canceled first.
    func result<Value: Sendable>(
        of operation: @escaping @Sendable (_ finish: @escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value? {
        // A delegate may never call the handler. An `AsyncStream`, unlike a continuation, also ends
        // when the load is canceled.
        let (values, continuation) = AsyncStream.makeStream(of: Value.self)
        addOperation {
            operation { value in
                continuation.yield(value)
                continuation.finish()
            }
        }
        for await value in values { return value }
        return nil
    }
}
