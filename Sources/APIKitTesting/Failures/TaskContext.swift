import APIKit

/// Runs work with the task-local values of the code that created the context.
///
/// Swift Testing finds the test of an expectation through a task-local value. The loading system's
/// threads have no task-local values. So a task that was created with the route starts a task for
/// each piece of work, which inherits its values.
final class TaskContext: Sendable {
    private let starts: AsyncStream<@Sendable () -> Void>.Continuation

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
        starts = continuation
        Task { for await start in stream { start() } }
    }

    deinit {
        starts.finish()
    }

    /// Returns the result of work in a task of the context.
    ///
    /// - Throws: The error of the work, or `CancellationError` without waiting for the work.
    func perform<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let (started, result) = (Waiter<Task<Void, Never>>(), Waiter<Value>())
        starts.yield {
            let task = Task { _ = result.answer(await Result.of(work)) }
            // The caller may have been canceled before.
            if !started.answer(.success(task)) { task.cancel() }
        }
        let task = try await started.wait()
        // This waits for the result and not for the task, which may ignore its cancellation.
        return try await result.wait { task.cancel() }
    }
}
