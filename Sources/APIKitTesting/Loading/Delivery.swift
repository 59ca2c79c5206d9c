import APIKit
import Foundation

/// Delivers the events of one load to the loading system; nothing else calls its client.
///
/// The system wants to be told on its own thread, only while the task runs, never after it was
/// stopped, and of the end exactly once. On Linux each of the four ends the process when it is
/// broken.
final class Delivery: @unchecked Sendable {
    private struct State {
        var pending: [LoadingEvent] = []
        /// The chunks for a client that wants its body whole.
        var joined = Data()
        var isScheduled = false
        var isOver = false
        var work: Task<Void, Never>?
    }

    // The loading system keeps the protocol for as long as it may be told anything. Only its own
    // thread follows this reference: any other could be the last to let go of the protocol.
    private weak var urlProtocol: URLProtocol?
    private let task: URLSessionTask?
    private let thread: LoadingThread
    private let state = Locked(State())

    /// Creates the way back for a protocol, on the thread of the loading system.
    convenience init(for urlProtocol: URLProtocol) {
        self.init(for: urlProtocol, on: LoadingThread(of: urlProtocol))
    }

    init(for urlProtocol: URLProtocol, on thread: LoadingThread) {
        self.urlProtocol = urlProtocol
        task = urlProtocol.task
        self.thread = thread
    }

    /// Whether the loading system still waits for the load, asked on its thread.
    var isWanted: Bool {
        !state.withLock { $0.isOver } && !(urlProtocol.map { Platform.isEnded($0.task) } ?? true)
    }

    /// Runs work that sends events, until the load is stopped.
    ///
    /// What the work throws ends the load.
    func run(_ work: @escaping @Sendable () async throws -> Void) {
        let unwanted = state.withLock { state in
            // Noted before it can go on: it may itself be about to call this once more.
            let task = Task {
                do {
                    try await work()
                } catch {
                    send([.failed(error)])
                }
            }
            guard !state.isOver else { return Optional(task) }
            state.work = task
            return nil
        }
        unwanted?.cancel()
    }

    /// Delivers events, from any thread.
    func send(_ events: [LoadingEvent]) {
        let hasToSchedule = state.withLock { state in
            guard !state.isOver, !events.isEmpty else { return false }
            state.pending += events
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if hasToSchedule { thread.run { self.flush() } }
    }

    /// Delivers events, on the thread of the loading system.
    func deliver(_ events: [LoadingEvent]) {
        state.withLock { $0.pending += events }
        flush()
    }

    /// Delivers what had to wait while the task was suspended.
    func resume() {
        flush()
    }

    /// Ends the load with an error, whatever is still at work on it.
    func fail(with error: any Error) {
        let work = state.withLock { $0.work }
        // In this order, as work that is cancelled fails as well.
        send([.failed(error)])
        work?.cancel()
    }

    /// Ends the load and its work, without another word to the loading system.
    func stop() {
        let work = state.withLock { state in
            defer { state = State(isOver: true) }
            return state.work
        }
        work?.cancel()
    }

    /// Asks whoever has a say where a redirect leads, if anywhere.
    func redirect(
        after response: HTTPURLResponse, to request: URLRequest, in session: URLSession?
    ) async -> URLRequest? {
        guard let task else { return nil }
        // Where the task tells, it knows best: a session may be made with a copied configuration.
        guard let session = Platform.session(of: task) ?? session,
            let delegate = task.delegate ?? session.delegate as? any URLSessionTaskDelegate
        else { return request }
        // A delegate that lets go of the handler has decided as well; a continuation would leak.
        let (decisions, continuation) = AsyncStream.makeStream(of: URLRequest?.self)
        session.delegateQueue.addOperation {
            Platform.ask(
                delegate, of: session, toRedirect: task, after: response, to: request
            ) { decision in
                continuation.yield(decision)
                continuation.finish()
            }
        }
        for await decision in decisions { return decision }
        return nil
    }

    private func flush() {
        guard let urlProtocol else { return }
        // A suspended task keeps what there is for it until it starts again.
        guard !Platform.isSuspended(urlProtocol.task) else {
            return state.withLock { $0.isScheduled = false }
        }
        let events = state.withLock { state in
            state.isScheduled = false
            defer { state.pending = [] }
            return state.isOver ? [] : state.pending
        }
        guard !Platform.isEnded(urlProtocol.task), let client = urlProtocol.client else { return }
        for event in events {
            // Whoever is told of one event may stop the load, on this thread, before the next.
            guard !state.withLock({ $0.isOver }) else { return }
            switch event {
            case .response(let response):
                client.urlProtocol(
                    urlProtocol, didReceive: Platform.deliverable(response),
                    cacheStoragePolicy: .notAllowed)
            case .body(let data):
                if !data.isEmpty { client.urlProtocol(urlProtocol, didLoad: data) }
            case .chunk(let data):
                if Platform.takesChunks(urlProtocol.task) {
                    client.urlProtocol(urlProtocol, didLoad: data)
                } else {
                    state.withLock { $0.joined += data }
                }
            case .finished:
                let joined = state.withLock { $0.joined }
                if !joined.isEmpty { client.urlProtocol(urlProtocol, didLoad: joined) }
                stop()
                client.urlProtocolDidFinishLoading(urlProtocol)
            case .failed(let error):
                stop()
                client.urlProtocol(urlProtocol, didFailWithError: error)
            }
        }
    }
}
