import Foundation

#if canImport(FoundationNetworking)

#if !APIKIT_APPLE_LOADER
// The system's own async functions can block every session of the process when a task is canceled
// as it completes (https://github.com/swiftlang/swift-corelibs-foundation/issues/5412).
extension URLSessionTransport {
    /// Loads a request, and buffers the whole body in memory.
    ///
    /// The buffer has no limit: nothing reads the body before its end, so files would save no
    /// memory.
    func send(
        _ request: URLRequest, uploading upload: Upload?
    ) async throws -> (Data, URLResponse) {
        let load = Load(request, by: self, upload, body: ChunkBuffer(limit: .max))
        let response = try await load.run(until: load.endWaiter)
        return (load.body.takeAll(), response)
    }

    func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        let load = Load(request, by: self, body: ChunkBuffer())
        let response = try await load.run(until: load.headWaiter)
        return (ByteStream(load), response)
    }
}
#endif

/// One load, including its redirects, which completes exactly once.
///
/// A new task loads each redirect. The system's events arrive on its work queue, where no task can be
/// created or canceled, so both happen on other queues.
final class Load: Sendable {
    struct State {
        /// The request that the current task sends.
        var request: URLRequest
        var task: URLSessionTask?
        var response: URLResponse?
        /// Whether another response may follow this one.
        var isHeldBack = false
        var heldByteCount = 0
        var redirectCount = 0
        /// Whether the delegate of the session is deciding about a redirect.
        var isDeciding = false
        /// Whether the redirect has arrived completely.
        var isComplete = false
        var isWatched = false
        var isOver = false
    }

    /// The queue for cancellations and logins.
    ///
    /// `cancel()` blocks on the system's work queue, so calling it from a cancellation handler can
    /// deadlock. A login suspends and resumes the task, and a cancellation in between crashes the
    /// process. On one queue they cannot interleave.
    static let queue = DispatchQueue(label: "APIKit.Load")

    /// The number of bytes of a 401's body that the load buffers while it may still log in.
    static let loginLimit = 65_536

    let upload: URLSessionTransport.Upload?
    let session: URLSession
    let sibling: Sibling
    let redirects: RedirectPolicy
    let body: ChunkBuffer
    let headWaiter = Waiter<URLResponse>()
    let endWaiter = Waiter<URLResponse>()
    let state: Locked<State>

    init(
        _ request: URLRequest, by transport: URLSessionTransport,
        _ upload: URLSessionTransport.Upload? = nil, body: ChunkBuffer
    ) {
        session = transport.session
        redirects = transport.redirects
        self.upload = upload
        self.body = body
        sibling = Sibling.of(session, withCookies: request.httpShouldHandleCookies)
        var request = request
        for (name, value) in session.configuration.additionalFields(for: request) {
            request.setValue(value, forHTTPHeaderField: name)
        }
        state = Locked(State(request: request))
    }

    /// Starts the load, and waits for the response head or for the end of the body.
    func run(until waiter: Waiter<URLResponse>) async throws -> URLResponse {
        try Task.checkCancellation()
        let request = state.withLock { $0.request }
        let isWatched = try sibling.watch.begin(session, for: request)
        state.withLock { $0.isWatched = isWatched }
        // The watch may wait for the session's queue.
        if Task.isCancelled { finish(.failure(CancellationError())) } else { send(request) }
        return try await waiter.wait { stop(throwing: CancellationError()) }
    }

    /// Sends a request with a new task, and uploads the body unless a redirect has dropped it.
    func send(_ request: URLRequest) {
        let upload = request.method == .get ? nil : upload
        let task =
            upload.map { sibling.session.task(for: request, sending: $0) }
            ?? sibling.session.dataTask(with: request)
        sibling.loads.add(self, for: task)
        let isOver = state.withLock { state in
            if !state.isOver {
                state.task = task
                state.request = request
            }
            return state.isOver
        }
        if isOver {
            sibling.loads.remove(task)
            // The session never releases a task that is neither resumed nor canceled.
            Self.queue.async { task.cancel() }
        } else if sibling.watch.hasCanceled {
            // The session was invalidated before the table had this load.
            stop(throwing: URLError(.cancelled))
        } else {
            task.resume()
        }
    }

    /// Completes the load if it is pending, and cancels its task.
    func stop(throwing error: any Error) {
        guard let task = finish(.failure(error)) else { return }
        Self.queue.async { task.cancel() }
    }

    /// Completes the load if it is pending, and returns its task.
    @discardableResult
    func finish(_ result: Result<URLResponse, any Error>) -> URLSessionTask? {
        let (task, isWatched, isFirst) = state.withLock { state in
            defer { (state.isOver, state.task) = (true, nil) }
            return (state.task, state.isWatched, !state.isOver)
        }
        guard isFirst else { return nil }
        if let task { sibling.loads.remove(task) }
        headWaiter.answer(result)
        body.finish(result.map { _ in })
        endWaiter.answer(result)
        if isWatched { sibling.watch.end() }
        return task
    }
}

// MARK: - Events of the task

extension Load {
    func receive(_ response: URLResponse, of task: URLSessionTask) {
        // The system also delivers interim responses (RFC 9110, section 15.2).
        if let http = response as? HTTPURLResponse, http.statusCode < 200 { return }
        let isFinal = state.withLock { state in
            guard state.task === task else { return false }
            // After a login the task restarts.
            if state.isHeldBack { body.removeAll() }
            state.response = response
            state.isHeldBack = state.isDeciding || response.asksForLogin
            state.heldByteCount = 0
            return !state.isHeldBack
        }
        if isFinal { headWaiter.answer(.success(response)) }
    }

    func receive(_ data: Data, of task: URLSessionTask) {
        let (isWanted, released) = state.withLock { state -> (Bool, URLResponse?) in
            guard state.task === task, state.isHeldBack else { return (state.task === task, nil) }
            // Nothing reads the body yet, so appending it resumes no waiter under the lock.
            body.append(data)
            state.heldByteCount += data.count
            guard !state.isDeciding, state.heldByteCount > Self.loginLimit else {
                return (false, nil)
            }
            state.isHeldBack = false
            return (false, state.response)
        }
        if isWanted { body.append(data) }
        if let released { headWaiter.answer(.success(released)) }
    }

    func complete(_ task: URLSessionTask, with error: (any Error)?) {
        let result = state.withLock { state -> Result<URLResponse, any Error>? in
            guard state.task === task else { return nil }
            if let error {
                return .failure(error.asOnEveryPlatform(hasHead: state.response != nil))
            }
            guard !state.isDeciding else {
                state.isComplete = true
                return nil
            }
            if state.response == nil { body.append(task.redirectBody) }
            return (state.response ?? task.response).map { .success($0) }
                ?? .failure(URLError(.badServerResponse))
        }
        if let result { finish(result) }
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

extension URLResponse {
    /// Whether the system may log in after the response.
    ///
    /// The system reads only the first challenge, and supports only Basic.
    fileprivate var asksForLogin: Bool {
        guard let http = self as? HTTPURLResponse, http.statusCode == 401,
            let challenge = http.value(forHTTPHeaderField: "WWW-Authenticate")
        else { return false }
        return challenge.lowercased().hasPrefix("basic")
    }
}

extension URLSessionTask {
    /// The body of a redirect without a `Location`, which delegates never receive.
    ///
    /// It is empty if a later version of the system stores the body elsewhere.
    fileprivate var redirectBody: Data {
        Reflection.property("_protocolStorage", of: self)
            .flatMap { Mirror(reflecting: $0).children.first?.value }
            .flatMap { Reflection.property("lastRedirectBody", of: $0) } as? Data ?? Data()
    }
}

#endif
