import APIKit

/// Runs work with the task-local values of the code that created the context.
///
/// Swift Testing finds the test of an expectation through a task-local value. The loading system's
/// threads have no task-local values. So a task that was created with the route starts the
/// responders.
final class TaskContext: Sendable {
    private let queue = JobQueue()

    init() {
        Task { [queue] in
            while let start = await queue.next() { start() }
        }
    }

    deinit {
        queue.close()
    }

    /// Returns the result of work in a task of the context.
    ///
    /// - Throws: The error of the work, or `CancellationError` without waiting for the work.
    func perform<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let result = Waiter<Value>()
        let task = await withCheckedContinuation { continuation in
            queue.add {
                let task = Task {
                    do {
                        result.answer(.success(try await work()))
                    } catch {
                        result.answer(.failure(error))
                    }
                }
                continuation.resume(returning: task)
            }
        }
        // This waits for the result and not for the task, which may ignore its cancellation.
        return try await withTaskCancellationHandler {
            try await result.value
        } onCancel: {
            task.cancel()
            result.answer(.failure(CancellationError()))
        }
    }
}

/// A queue of closures for one task to run.
///
/// It replaces `AsyncStream`, whose lock the thread sanitizer does not see.
private final class JobQueue: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        var consumer: CheckedContinuation<Void, Never>?
        var isClosed = false
    }

    private let state = Locked(State())

    func add(_ job: @escaping Job) {
        wakeConsumer { $0.jobs.append(job) }
    }

    func close() {
        wakeConsumer { $0.isClosed = true }
    }

    /// Returns the next closure, or `nil` once the queue is closed and empty.
    func next() async -> Job? {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if !state.jobs.isEmpty || state.isClosed { return true }
                state.consumer = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        return state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
    }

    private func wakeConsumer(after change: (inout State) -> Void) {
        let consumer = state.withLock { state in
            change(&state)
            defer { state.consumer = nil }
            return state.consumer
        }
        consumer?.resume()
    }
}
