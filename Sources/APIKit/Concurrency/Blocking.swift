import Foundation

/// Runs work that may block its thread.
package enum Blocking {
    /// Runs a closure on a dispatch queue, because all tasks share one thread for each core.
    ///
    /// - Parameter work: The closure. Its argument throws once the calling task is canceled, so call
    ///   it regularly.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or `CancellationError` as soon as the calling task is
    ///   canceled.
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
