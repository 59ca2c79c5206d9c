import Foundation

/// One load, including its redirects, which completes exactly once.
///
/// It is the delegate of its tasks. On Linux the ``SiblingDelegate`` of another session passes on some
/// of the events, and a new task loads each redirect.
final class Load: NSObject, URLSessionDataDelegate {
    struct State {
        /// The request that the current task sends, without the body of an upload.
        var request: URLRequest
        /// The current task, or `nil` after a redirect has arrived completely.
        var task: URLSessionTask?
        /// The latest response head of the task.
        var response: URLResponse?
        /// Why the response is not passed on yet.
        var hold: Hold?
        var redirectCount = 0
        var isOver = false
        /// Cancels the timer of the whole load, if the system has none.
        var cancelTimer: (@Sendable () -> Void)?
    }

    /// The reasons why another head may replace the response.
    enum Hold {
        /// The delegate of the session is deciding whether to follow the redirect, while its task ends.
        case redirect
        /// The system may log in.
        case login
        /// The system may send the request again, or have reported the head of a proxy. No body follows
        /// such a head, so the start of a body ends the hold.
        case untilBody
    }

    /// The queue for cancellations, logins and new tasks, in their order.
    ///
    /// On Linux `cancel()` blocks on the system's work queue, so calling it from a cancellation handler
    /// can deadlock. A login suspends and resumes the task, and a cancellation in between crashes the
    /// process. On one queue they cannot interleave.
    static let queue = DispatchQueue(label: "APIKit.Load")

    /// The number of bytes of a 401's body that the load buffers while the system may log in.
    static let loginLimit = 65_536

    let upload: URLSessionTransport.Upload?
    let session: URLSession
    let redirects: RedirectPolicy
    let body: ChunkBuffer
    /// Whether the caller receives the response with its head, and reads the body as it arrives.
    private let streams: Bool
    let response = Waiter<URLResponse>()
    let state: Locked<State>
    /// Makes the decision about a chunk and its place in the body one step, also on a concurrent queue.
    ///
    /// It is not the lock of the state: no cancellation handler takes it, so a reader may resume under it.
    private let order = NSLock()
    let tasks: TaskMaker
    /// The attempt of a call that loads, if there is one.
    let attempt = CallAttempt.current

    /// Creates a load that has not started.
    ///
    /// Throws for a head that is not valid, and for a background session, which loads only files. The
    /// system ends an app that asks it for more.
    init(
        _ request: URLRequest, by transport: URLSessionTransport,
        _ upload: URLSessionTransport.Upload? = nil, streams: Bool = false
    ) throws {
        session = transport.session
        let configuration = session.configuration
        guard configuration.identifier == nil else {
            throw APIError(
                .invalidRequest(
                    """
                    a background session cannot load it. Make the session from another configuration, \
                    such as URLSessionConfiguration.default
                    """))
        }
        redirects = transport.redirects
        self.upload = upload
        self.streams = streams
        // Nothing reads the body of a load before its end, so files would save no memory.
        body = streams ? ChunkBuffer() : ChunkBuffer(limit: nil)
        tasks = transport.tasks.current(for: session)
        var request = request
        configuration.addFields(to: &request)
        try request.checkHead()
        state = Locked(State(request: request))
    }

    /// Loads the response with its whole body.
    func whole() async throws -> (Data, URLResponse) {
        let response = try await run()
        return (body.takeAll(), response)
    }

    /// Loads the response head, with the body as it arrives.
    func head() async throws -> (ByteStream, URLResponse) {
        let response = try await run()
        return (ByteStream(self), response)
    }

    private func run() async throws -> URLResponse {
        try Task.checkCancellation()
        // The handler is set before the task starts, whose delegate may cancel the call at once.
        return try await withTaskCancellationHandler {
            tasks.startTimer(of: self)
            send(state.withLock { $0.request }, uploading: upload)
            return try await response.value
        } onCancel: {
            stop(throwing: CancellationError())
        }
    }

    /// Sends a request with a new task.
    func send(_ request: URLRequest, uploading upload: URLSessionTransport.Upload?) {
        var request = request
        if request.httpBodyStream == nil { request.removeFraming() }
        tasks.makingTask { [self, request] in
            let task = tasks.makeTask(for: request, sending: upload, to: self)
            let isOver = state.withLock { state in
                if !state.isOver {
                    state.task = task
                    state.request = request
                }
                return state.isOver
            }
            guard isOver else { return task.resume() }
            // The session never releases a task that is neither resumed nor canceled.
            Self.queue.async { task.cancel() }
        }
    }

    /// Completes the load if it is pending, and cancels its task.
    func stop(throwing error: any Error) { stop(with: .failure(error)) }

    private func stop(with result: Result<URLResponse, any Error>) {
        guard let task = finish(result) else { return }
        Self.queue.async { task.cancel() }
    }

    /// Completes the load if it is pending, and returns its task.
    @discardableResult
    func finish(_ result: Result<URLResponse, any Error>) -> URLSessionTask? {
        let (task, cancelTimer) = state.withLock { state in
            state.isOver = true
            return (state.task.take(), state.cancelTimer.take())
        }
        cancelTimer?()
        // The body first, because a caller may take it as soon as it has the response.
        body.finish(result.map { _ in })
        response.answer(result)
        return task
    }

    // MARK: - Events of the task

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // The system also delivers interim responses (RFC 9110, section 15.2). A 101 is final.
        if let http = response as? HTTPURLResponse, 100..<200 ~= http.statusCode,
            http.statusCode != 101
        {
            return completionHandler(.allow)
        }
        let (isCurrent, hold) = state.withLock { state -> (Bool, Hold?) in
            guard state.task === dataTask else { return (false, nil) }
            // This head replaces a head that is held back.
            if state.hold != nil { body.removeAll() }
            state.response = response
            if state.hold != .redirect { state.hold = tasks.hold(on: response, to: state.request) }
            return (true, state.hold)
        }
        if isCurrent, hold == nil {
            passOn(response)
            refuseExcess(in: response)
        }
        // Otherwise the task of a failed load could continue.
        completionHandler(isCurrent ? .allow : .cancel)
    }

    private func passOn(_ head: URLResponse) {
        tasks.storeCookies(of: head, for: self)
        show(head)
    }

    /// Shows the head to a caller that waits only for it.
    func show(_ head: URLResponse) {
        if streams { response.answer(.success(head)) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let released = order.withLock { append(data, from: dataTask) }
        if let released { passOn(released) }
        stopAtLimit()
    }

    /// Fails a load whose head gives the body a length above the limit.
    private func refuseExcess(in head: URLResponse) {
        guard !streams, let context = attempt?.context, let http = head as? HTTPURLResponse,
            // The length of the field counts encoded bytes, but finding the encoding allocates memory.
            http.expectedContentLength > context.maxBodyBytes, let length = http.bodyLength,
            !http.omitsContent(for: state.withLock(\.request)),
            let error = context.excess(of: length, in: http)
        else { return }
        stop(throwing: error)
    }

    /// Completes a load that has enough of its body.
    private func stopAtLimit() {
        guard !streams, let context = attempt?.context,
            let head = state.withLock({ $0.hold == nil ? $0.response : nil }),
            context.isEnough(body.byteCount, of: head)
        else { return }
        stop(with: .success(head))
    }

    /// Appends a chunk of the current task, and returns the head that it releases.
    private func append(_ data: Data, from dataTask: URLSessionDataTask) -> URLResponse? {
        let (isWanted, released) = state.withLock { state -> (Bool, URLResponse?) in
            guard state.task === dataTask, let hold = state.hold else {
                return (state.task === dataTask, nil)
            }
            // Nothing reads the body yet, so appending it resumes no waiter under the lock.
            body.append(data)
            let isStillHeld =
                hold == .redirect || hold == .login && body.byteCount <= Self.loginLimit
            guard !isStillHeld else { return (false, nil) }
            state.hold = nil
            return (false, state.response)
        }
        if isWanted { body.append(data) }
        return released
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        typealias Completion = (result: Result<URLResponse, any Error>, heldHead: URLResponse?)
        let completion = state.withLock { state -> Completion? in
            guard state.task === task else { return nil }
            if let error {
                // A head without a body, which the load holds back, may be that of a proxy.
                let hasHead = state.response != nil && state.hold != .untilBody
                let error = error.asOnEveryPlatform(
                    hasHead: hasHead, hasSent: task.countOfBytesSent > 0)
                return (.failure(error), nil)
            }
            guard state.hold != .redirect else {
                state.task = nil
                return nil
            }
            // A head that follows that of a proxy, or is the only one, may not have been delivered.
            let delivered = state.hold == .untilBody ? nil : state.response
            guard let response = delivered ?? task.response else {
                return (.failure(URLError(.badServerResponse)), nil)
            }
            let isHeld = state.hold != nil || state.response == nil
            return (.success(response), isHeld ? response : nil)
        }
        guard let completion else { return }
        if let head = completion.heldHead { passOn(head) }
        // After the chunk that another thread of the queue is appending.
        order.withLock { _ = finish(completion.result) }
    }
}

extension Load: ByteSource {
    func next() async throws -> Data? { try await body.next() }

    func cancel() {
        stop(throwing: CancellationError())
        // A canceled stream may still be retained, so release its unread chunks now.
        body.cancel()
    }
}
