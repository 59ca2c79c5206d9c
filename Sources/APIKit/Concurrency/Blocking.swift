import Foundation

/// Work that may block the thread that it is on.
package enum Blocking {
    /// Runs a closure on a thread that may be blocked: those of tasks are as few as the cores.
    ///
    /// - Parameter work: The closure. It calls its argument now and then, which throws once the task
    ///   is cancelled.
    /// - Returns: What the closure returns, which is dropped if nobody waits for it.
    /// - Throws: What the closure throws, or `CancellationError` as soon as the task is cancelled.
    package static func run<Value: Sendable>(
        _ work: @escaping @Sendable (_ checkCancellation: () throws -> Void) throws -> Value
    ) async throws -> Value {
        let waiter = Waiter<Value>()
        return try await withTaskCancellationHandler {
            DispatchQueue.global().async {
                waiter.answer(Result { try work(waiter.checkCancellation) })
            }
            return try await waiter.value
        } onCancel: {
            waiter.answer(.failure(CancellationError()))
        }
    }
}
