import APIKit

/// The task context of whoever made it, for work that is started elsewhere.
///
/// An expectation of Swift Testing belongs to the test whose task-local values it sees. The threads
/// of the loading system see none, so responders are started from a task that was made where the
/// route was registered.
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

    /// Runs work in a task of the context, and returns what it makes.
    ///
    /// - Throws: What the work throws, or `CancellationError`, which does not wait for the work.
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
        // The task itself is not waited for: it may take no notice of its cancellation.
        return try await withTaskCancellationHandler {
            try await result.value
        } onCancel: {
            task.cancel()
            result.answer(.failure(CancellationError()))
        }
    }
}

/// The closures that wait to be run, for one task that takes them.
///
/// An `AsyncStream` would do, but the thread sanitizer does not see its lock and reports races.
private final class JobQueue: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        var taker: CheckedContinuation<Job?, Never>?
        var isClosed = false
    }

    private let state = Locked(State())

    func add(_ job: @escaping Job) {
        let taker = state.withLock { state in
            let taker = state.taker
            state.taker = nil
            if taker == nil { state.jobs.append(job) }
            return taker
        }
        taker?.resume(returning: job)
    }

    func close() {
        let taker = state.withLock { state in
            state.isClosed = true
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume(returning: nil)
    }

    /// Returns the next closure, or `nil` once the queue is closed and empty.
    func next() async -> Job? {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state -> Job?? in
                if !state.jobs.isEmpty { return .some(state.jobs.removeFirst()) }
                if state.isClosed { return .some(nil) }
                state.taker = continuation
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }
}
