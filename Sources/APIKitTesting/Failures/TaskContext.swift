import APIKit

/// Runs work with the task-local values of the code that created the context.
///
/// Swift Testing finds the test of an expectation through a task-local value. The loading system's
/// threads have no task-local values. So a worker, a task that was created with the route, waits for
/// the work of a responder. Each worker starts the next worker, and then runs one piece of work.
final class TaskContext: Sendable {
    private let queue = WorkQueue()

    init() {
        queue.startWorker()
    }

    deinit {
        queue.close()
    }

    /// Starts work in a task of the context, and returns it, so that it can be canceled.
    func start(_ work: @escaping @Sendable () async -> Void) -> Work { queue.add(work) }

    /// Returns the result of work in a task of the context.
    ///
    /// - Throws: The error of the work, or `CancellationError` without waiting for the work.
    func perform<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let result = Waiter<Value>()
        let work = start { result.answer(await Result.of(work)) }
        // This waits for the result and not for the task, which may ignore its cancellation.
        return try await result.wait { work.cancel() }
    }
}

/// The work of a context, and the worker that waits for it.
private final class WorkQueue: Sendable {
    private struct Worker {
        let work: Waiter<Work>
        let task: Task<Void, Never>

        func start(_ work: Work) {
            work.willRun(in: task)
            self.work.answer(.success(work))
        }
    }

    private struct State {
        /// The work that arrived while there was no worker.
        var works: [Work] = []
        var worker: Worker?
        var isClosed = false
    }

    private let state = Locked(State())

    /// Starts a worker, which inherits the task-local values of the caller.
    func startWorker() {
        let next = Waiter<Work>()
        // The task waits at once, because no other code has its waiter yet.
        let task = Task.startedHere { [self] in
            do {
                let work = try await next.value
                startWorker()
                await work.run()
            } catch {
                // The context has been released.
            }
        }
        let worker = Worker(work: next, task: task)
        let (work, isClosed) = state.withLock { state in
            let work = state.works.isEmpty ? nil : state.works.removeFirst()
            if work == nil, !state.isClosed { state.worker = worker }
            return (work, state.isClosed)
        }
        if let work {
            worker.start(work)
        } else if isClosed {
            next.answer(.failure(CancellationError()))
        }
    }

    /// Runs a closure in a worker.
    func add(_ run: @escaping @Sendable () async -> Void) -> Work {
        let work = Work(run)
        let worker = state.withLock { state -> Worker? in
            if state.worker == nil { state.works.append(work) }
            defer { state.worker = nil }
            return state.worker
        }
        worker?.start(work)
        return work
    }

    func close() {
        let worker = state.withLock { state in
            state.isClosed = true
            return state.worker.take()
        }
        worker?.work.answer(.failure(CancellationError()))
    }
}

/// A closure that a task of a context runs, and that can be canceled before or while it runs.
final class Work: Sendable {
    private struct State {
        /// Removed when it runs, because a load retains this object to cancel it.
        var run: (@Sendable () async -> Void)?
        var task: Task<Void, Never>?
        var isCanceled = false
    }

    private let state: Locked<State>

    fileprivate init(_ run: @escaping @Sendable () async -> Void) {
        state = Locked(State(run: run))
    }

    fileprivate func run() async {
        let run = state.withLock { $0.run.take() }
        await run?()
    }

    fileprivate func willRun(in task: Task<Void, Never>) {
        let isCanceled = state.withLock { state in
            state.task = task
            return state.isCanceled
        }
        if isCanceled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCanceled = true
            return state.task
        }
        task?.cancel()
    }
}

extension Task where Success == Void, Failure == Never {
    /// Starts a task on the calling thread, where it runs until it first waits.
    ///
    /// A task that starts elsewhere wakes another thread, as it does on older systems. Call the
    /// function with no lock held.
    fileprivate static func startedHere(_ operation: @escaping @Sendable () async -> Void) -> Task {
        #if compiler(>=6.2)
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return .immediate(operation: operation)
        }
        #endif
        return Task(operation: operation)
    }
}
