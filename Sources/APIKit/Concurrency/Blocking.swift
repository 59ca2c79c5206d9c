import Foundation

/// Runs work that may block its thread.
package enum Blocking {
    /// Runs a closure on a separate thread, because all tasks share one thread for each core.
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
        start { waiter.answer(Result { try work(waiter.checkCancellation) }) }
        return try await waiter.wait()
    }

    /// Starts a closure on a separate thread.
    package static func start(_ work: @escaping @Sendable () -> Void) {
        // Not on a global queue: on Linux, its few threads also run the tasks, so blocking closures
        // would stop every task. The queue gains only about one thread each second.
        DispatchQueue(label: "APIKit.Blocking").async(execute: work)
    }
}
