import Foundation

/// One load by a URL session and the caller that waits for it, who is answered exactly once.
///
/// The system's own `data(for:)` would do on Apple platforms. On Linux it can block every session
/// of the process when a task is cancelled as its answer arrives
/// (https://github.com/swiftlang/swift-corelibs-foundation/issues/5412), and two ways of loading
/// would have to be kept alike; the task with a completion handler has neither problem.
final class DataTransfer: NSObject, URLSessionTaskDelegate {
    typealias Output = (Data, URLResponse)

    private enum State {
        case idle
        case loading(CheckedContinuation<Output, any Error>, toCancel: URLSessionDataTask?)
        case finished
    }

    private let state = Locked(State.idle)
    let redirects = Locked(RedirectChain())

    // Cancelling waits for the loading system, which may be waiting for whoever cancels.
    static let cancellationQueue = DispatchQueue(label: "APIKit.DataTransfer.cancellation")

    /// Starts the transfer, unless it was cancelled before.
    func start(
        _ request: URLRequest,
        in session: URLSession,
        resuming continuation: CheckedContinuation<Output, any Error>
    ) {
        let wasCancelled = state.withLock { state in
            guard case .idle = state else { return true }
            state = .loading(continuation, toCancel: nil)
            return false
        }
        if wasCancelled {
            continuation.resume(throwing: CancellationError())
        } else {
            load(request, in: session)
        }
    }

    /// Answers the caller at once and then ends the task.
    func cancel() {
        guard let task = finish(.failure(CancellationError())) else { return }
        Self.cancellationQueue.async { task.cancel() }
    }

    /// Answers the caller unless that has been done, and returns the task that is left to cancel.
    @discardableResult
    func finish(_ result: Result<Output, any Error>) -> URLSessionDataTask? {
        let previous = state.withLock { state in
            defer { state = .finished }
            return state
        }
        guard case .loading(let continuation, let task) = previous else { return nil }
        continuation.resume(with: result)
        return task
    }

    /// Whether the caller still waits for an answer.
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

    /// Loads a request: the first one, or one that a redirect led to.
    func load(_ request: URLRequest, in session: URLSession) {
        let hop = redirects.withLock { chain in
            chain.current = request
            return chain.count
        }
        let task = session.dataTask(with: request) { [self] data, response, error in
            // The redirect itself was an answer too, but not the one to return.
            guard hop == redirects.withLock({ $0.count }) else { return }
            if let error {
                finish(.failure(error))
            } else if let response {
                finish(.success((data ?? Data(), response)))
            } else {
                finish(.failure(URLError(.badServerResponse)))
            }
        }
        task.delegate = self
        let isWaiting = state.withLock { state in
            guard case .loading(let continuation, _) = state else { return false }
            state = .loading(continuation, toCancel: session.canCancelTasks ? task : nil)
            return true
        }
        // A task that is dropped without either call would stay with its session for ever.
        if isWaiting { task.resume() } else { task.cancel() }
    }
}
