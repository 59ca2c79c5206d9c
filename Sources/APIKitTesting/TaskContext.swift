/// The task context of whoever made it, for work that is started elsewhere.
///
/// An expectation of Swift Testing belongs to the test whose task-local values it sees. The threads
/// of the loading system see none, so responders are started from a task that was made where the
/// route was registered.
final class TaskContext: Sendable {
    private let continuation: AsyncStream<@Sendable () -> Void>.Continuation

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
        self.continuation = continuation
        Task {
            for await start in stream { start() }
        }
    }

    deinit {
        continuation.finish()
    }

    /// Runs a closure in the context; it should only start a task.
    func run(_ start: @escaping @Sendable () -> Void) {
        continuation.yield(start)
    }
}
