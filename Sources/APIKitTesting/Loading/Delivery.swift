import APIKit
import Foundation

/// Delivers the events of one load to the loading system, and ends the load exactly once.
///
/// Only this type calls the client of a mock protocol.
final class Delivery: Sendable {
    private struct State {
        var pending: [LoadingEvent] = []
        var isOver = false
        /// The tasks of the work, which may start other work.
        var tasks: [Task<Void, Never>] = []
    }

    private let client: LoadingClient
    private let task: URLSessionTask?
    private let state = Locked(State())

    /// Creates a delivery for a protocol, on the loading thread.
    init(for urlProtocol: URLProtocol, to client: LoadingClient? = nil) {
        self.client = client ?? LoadingClient(of: urlProtocol)
        task = urlProtocol.task
    }

    /// Runs work that sends events, until the load stops.
    ///
    /// An error of the work ends the load.
    func run(_ work: @escaping @Sendable () async throws -> Void) {
        let task = Task {
            if case .failure(let error) = await Result.of(work) { self.send([.failed(error)]) }
        }
        let isUnwanted = state.withLock { state in
            if !state.isOver { state.tasks.append(task) }
            return state.isOver
        }
        if isUnwanted { task.cancel() }
    }

    /// Delivers events from any thread.
    func send(_ events: [LoadingEvent]) {
        let isOver = state.withLock { state in
            if !state.isOver { state.pending += events }
            return state.isOver
        }
        if !isOver { client.run { self.deliver() } }
    }

    /// Delivers the pending events and then further events, on the loading thread.
    func deliver(_ events: [LoadingEvent] = []) {
        // A suspended task keeps its events until it resumes.
        let isSuspended = client.isSuspended
        let events = state.withLock { state -> [LoadingEvent] in
            guard !state.isOver else { return [] }
            state.pending += events
            guard !isSuspended else { return [] }
            defer { state.pending = [] }
            return state.pending
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

    /// Ends the load with an error and cancels its work.
    func fail(with error: any Error) {
        let tasks = state.withLock { $0.tasks }
        // Send the error before canceling the work, because canceled work sends an error too.
        send([.failed(error)])
        for task in tasks { task.cancel() }
    }

    /// Stops the load if the system has ended it, on the loading thread.
    func stopLoading() {
        if client.isStopped { stop() }
    }

    /// The request type of the call that the task loads for, if a client has made it.
    var apiRequest: (any APIRequest)? { task?.apiRequest }

    /// Asks the task's delegate, then the session's, whether to follow a redirect.
    ///
    /// - Parameters:
    ///   - response: The redirect.
    ///   - request: The request that follows it.
    ///   - session: The session, if the mock server made it.
    /// - Returns: The request to send, or `nil` if the redirect is the response.
    func redirect(
        after response: HTTPURLResponse, to request: URLRequest, in session: URLSession?
    ) async -> URLRequest? {
        guard let task else { return nil }
        guard let session = task.delegatingSession(or: session) else { return request }
        let delegates = task.delegates(in: session)
        return await session.delegateQueue.result { decide in
            task.ask(delegates, of: session, toFollow: request, after: response, decide: decide)
        } ?? nil
    }

    /// Returns a closure that reports sent bytes to the task's delegate, or else to the session's.
    ///
    /// It waits for the delegate, so that the delegate receives all steps before the response.
    ///
    /// - Parameter session: The session, if the mock server made it.
    /// - Returns: The closure, or `nil` if no delegate receives the progress.
    func progressReport(in session: URLSession?) -> UploadStep.Report? {
        guard let task, task.reportsProgress(in: session),
            let session = task.delegatingSession(or: session)
        else { return nil }
        let delegates = task.delegates(in: session)
        return { step in
            await session.delegateQueue.result { finish in
                task.report(
                    bytesSent: Int64(step.bytesSent), totalBytesSent: Int64(step.totalBytesSent),
                    totalBytesExpectedToSend: step.totalBytesExpectedToSend, to: delegates,
                    of: session)
                finish(())
            }
        }
    }

    /// Cancels the work and drops all further events.
    private func stop() {
        let tasks = state.withLock { state in
            defer { state = State(isOver: true) }
            return state.tasks
        }
        for task in tasks { task.cancel() }
    }
}

extension URLSessionTask {
    var hasEnded: Bool {
        // On Linux each look at the state waits for a queue of the system.
        let state = state
        return state == .canceling || state == .completed
    }

    fileprivate func delegates(in session: URLSession) -> [(any URLSessionTaskDelegate)?] {
        [delegate, session.delegate as? any URLSessionTaskDelegate]
    }
}

extension OperationQueue {
    /// Runs an operation, and returns the value that it passes to its handler.
    ///
    /// Returns `nil` if the calling task is canceled first.
    func result<Value: Sendable>(
        of operation: @escaping @Sendable (_ finish: @escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value? {
        // A delegate may never call the handler.
        let result = Waiter<Value>()
        addOperation { operation { result.answer(.success($0)) } }
        return try? await result.wait()
    }
}
