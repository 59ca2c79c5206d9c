import APIKit
import Foundation

/// Delivers the events of one load to the loading system, and ends it exactly once.
///
/// Only this type passes events to the client of a mock protocol.
final class Delivery: Sendable {
    private struct State {
        var pending: [LoadingEvent] = []
        var isScheduled = false
        var isOver = false
        var work: Task<Void, Never>?
    }

    private let client: LoadingClient
    private let task: URLSessionTask?
    private let state = Locked(State())

    /// Creates a delivery for a protocol, on the loading thread.
    convenience init(for urlProtocol: URLProtocol) {
        self.init(for: urlProtocol, to: LoadingClient(of: urlProtocol))
    }

    init(for urlProtocol: URLProtocol, to client: LoadingClient) {
        self.client = client
        task = urlProtocol.task
    }

    /// Runs work that sends events, until the load stops.
    ///
    /// An error that the work throws ends the load.
    func run(_ work: @escaping @Sendable () async throws -> Void) {
        let unwanted = state.withLock { state in
            // Made under the lock, because the work may call this function before it returns.
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
        if hasToSchedule { client.run { self.flush() } }
    }

    /// Delivers events, on the loading thread.
    func deliver(_ events: [LoadingEvent]) {
        state.withLock { $0.pending += events }
        flush()
    }

    /// Delivers the events that waited while the task was suspended, on the loading thread.
    func resume() {
        flush()
    }

    /// Ends the load with an error and cancels its work.
    func fail(with error: any Error) {
        let work = state.withLock { $0.work }
        // In this order, because cancelled work fails as well.
        send([.failed(error)])
        work?.cancel()
    }

    /// Stops the load if the system has ended it, on the loading thread.
    func stopLoading() {
        if client.isStopped { stop() }
    }

    /// Returns the request that follows a redirect, as the delegates decide, or `nil` if the
    /// redirect is the response.
    func redirect(
        after response: HTTPURLResponse, to request: URLRequest, in session: URLSession?
    ) async -> URLRequest? {
        guard let task else { return nil }
        // A delegate may never call the handler. A stream also ends when the load is cancelled.
        let (decisions, continuation) = AsyncStream.makeStream(of: URLRequest?.self)
        task.askDelegates(after: response, toFollow: request, in: session) { decision in
            continuation.yield(decision)
            continuation.finish()
        }
        for await decision in decisions { return decision }
        return nil
    }

    /// Cancels the work and drops all further events.
    private func stop() {
        let work = state.withLock { state in
            defer { state = State(isOver: true) }
            return state.work
        }
        work?.cancel()
    }

    private func flush() {
        // A suspended task keeps its events until it resumes.
        guard !client.isSuspended else { return state.withLock { $0.isScheduled = false } }
        let events = state.withLock { state in
            state.isScheduled = false
            defer { state.pending = [] }
            return state.isOver ? [] : state.pending
        }
        for event in events {
            // The client may stop the load during an event.
            guard !state.withLock({ $0.isOver }) else { return }
            switch event {
            case .finished, .failed: stop()
            case .response, .body, .chunk: break
            }
            client.receive(event)
        }
    }
}
