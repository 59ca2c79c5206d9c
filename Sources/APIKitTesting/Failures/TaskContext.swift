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
        var taker: CheckedContinuation<Void, Never>?
        var isClosed = false
    }

    private let state = Locked(State())

    func add(_ job: @escaping Job) {
        wakeTaker { $0.jobs.append(job) }
    }

    func close() {
        wakeTaker { $0.isClosed = true }
    }

    /// Returns the next closure, or `nil` once the queue is closed and empty.
    func next() async -> Job? {
        await withCheckedContinuation { continuation in
            let isReady = state.withLock { state in
                if !state.jobs.isEmpty || state.isClosed { return true }
                state.taker = continuation
                return false
            }
            if isReady { continuation.resume() }
        }
        return state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
    }

    private func wakeTaker(after change: (inout State) -> Void) {
        let taker = state.withLock { state in
            change(&state)
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume()
    }
}
