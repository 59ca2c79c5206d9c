import Foundation

/// One load by a URL session, redirects and all, and whoever waits for it, who is answered once.
final class Transfer: Sendable {
    typealias Output = (Data, URLResponse)
    typealias Answer = @Sendable (Result<Output, any Error>) -> Void

    private enum State {
        case idle
        case loading(Answer, toCancel: URLSessionTask?)
        case finished
    }

    /// The session of the user, whose delegate has the last word.
    let session: URLSession
    let policy: RedirectPolicy
    let redirects = Locked(RedirectChain())
    private let state = Locked(State.idle)

    // Cancelling waits for the loading system, which may be waiting for whoever cancels.
    static let cancellationQueue = DispatchQueue(label: "APIKit.Transfer.cancellation")

    init(in session: URLSession, redirects policy: RedirectPolicy) {
        self.session = session
        self.policy = policy
    }

    /// Starts the transfer, unless it was cancelled before.
    func start(
        _ request: URLRequest, by tasks: any TransferTasks, answer: @escaping Answer
    ) {
        let wasCancelled = state.withLock { state in
            guard case .idle = state else { return true }
            state = .loading(answer, toCancel: nil)
            return false
        }
        if wasCancelled {
            answer(.failure(CancellationError()))
        } else {
            load(request, in: tasks.firstSession, by: tasks)
        }
    }

    /// Answers at once and then ends the task.
    func cancel() {
        guard let task = finish(.failure(CancellationError())) else { return }
        Self.cancellationQueue.async { task.cancel() }
    }

    /// Answers unless that has been done, and returns the task that is left to cancel.
    @discardableResult
    func finish(_ result: Result<Output, any Error>) -> URLSessionTask? {
        let previous = state.withLock { state in
            defer { state = .finished }
            return state
        }
        guard case .loading(let answer, let task) = previous else { return nil }
        answer(result)
        return task
    }

    /// Whether an answer is still waited for.
    var isWaiting: Bool { ifWaiting {} }

    /// Runs a closure while nobody can cancel the transfer, unless somebody has.
    ///
    /// - Returns: Whether the closure was run.
    @discardableResult
    func ifWaiting(_ body: () -> Void) -> Bool {
        state.withLock { state in
            guard case .loading = state else { return false }
            body()
            return true
        }
    }

    /// Whether a task is the one that the answer comes from, and no redirect has led past it.
    func isCurrent(_ hop: Int) -> Bool {
        redirects.withLock { $0.count } == hop
    }

    /// Loads a request: the first one, or one that a redirect led to.
    func load(_ request: URLRequest, in session: URLSession, by tasks: any TransferTasks) {
        let hop = redirects.withLock { chain in
            chain.current = request
            return chain.count
        }
        let task = tasks.makeTask(for: request, in: session, hop: hop)
        let isWaiting = state.withLock { state in
            guard case .loading(let answer, _) = state else { return false }
            state = .loading(answer, toCancel: session.canCancelTasks ? task : nil)
            return true
        }
        // A task that is dropped without either call would stay with its session for ever.
        if isWaiting { task.resume() } else { task.cancel() }
    }

    /// Decides about a redirect, with `nil` to stay: the policy first, and then the delegate of the
    /// session.
    func decide(
        on request: URLRequest,
        after response: HTTPURLResponse,
        of task: URLSessionTask,
        _ decide: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard policy.allows(request, after: response) else { return decide(nil) }
        // The system follows redirects with all header fields of the request.
        var request = request
        request.removeCredentials(ifLeavingOriginOf: response.url)
        guard let delegate = session.delegate as? any URLSessionTaskDelegate else {
            return decide(request)
        }
        ask(delegate, about: request, after: response, of: task, decide)
    }
}
