import APIKit
import Foundation

#if canImport(FoundationNetworking)

/// The client of a URL protocol.
///
/// A call outside the loading thread, or after the end of the task, crashes the process: corelibs
/// neither moves calls to its queue nor ignores late calls.
///
/// Unchecked because only the loading thread uses the state.
final class LoadingClient: @unchecked Sendable {
    // Weak, because the last reference to a protocol must be released on the loading thread.
    private weak var urlProtocol: URLProtocol?
    private let task: URLSessionTask?
    private let queue: DispatchQueue?
    /// The chunks for a completion handler, because corelibs passes the handler only the last data.
    private var joined = Data()
    private var challenge: ChallengeResponse?

    /// The queue of the loading system, which all sessions of the process share.
    static let workQueue =
        Reflection.property("workQueue", of: URLSession(configuration: .ephemeral))
        as? DispatchQueue

    /// Whether a session follows a redirect whose body is cut.
    ///
    /// corelibs reports a redirect only after its body.
    static let seesCutRedirects = false

    /// Creates the client of a protocol, on the thread that started the protocol.
    init(of urlProtocol: URLProtocol, on queue: DispatchQueue? = workQueue) {
        self.urlProtocol = urlProtocol
        task = urlProtocol.task
        self.queue = queue
    }

    /// Runs work on the loading thread, from any thread.
    ///
    /// Without a queue, the method drops the work, and suspends and resumes the task. corelibs then
    /// calls `startLoading` again, which delivers the pending events.
    func run(_ work: @escaping @Sendable () -> Void) {
        if let queue {
            // Not `sync`: a blocked task occupies one of the few threads that run all tasks.
            queue.async(execute: work)
        } else {
            task?.suspend()
            task?.resume()
        }
    }

    /// Whether the task is suspended and accepts no events.
    var isSuspended: Bool { urlProtocol?.task?.state == .suspended }

    /// Whether `stopLoading` ends the load; corelibs also calls it to suspend the task.
    var isStopped: Bool { urlProtocol?.task?.hasEnded ?? true }

    /// Passes an event to the loading system.
    func receive(_ event: LoadingEvent) {
        guard let urlProtocol, urlProtocol.task?.hasEnded != true, let client = urlProtocol.client
        else { return }
        switch event {
        case .response where urlProtocol.task is URLSessionDownloadTask:
            // corelibs traps on the first data for a download task.
            self.urlProtocol = nil
            client.urlProtocol(urlProtocol, didFailWithError: MockLoadingError.downloadTask)
        case .response(let response):
            challenge = ChallengeResponse(response)
            client.urlProtocol(
                urlProtocol, didReceive: challenge ?? response, cacheStoragePolicy: .notAllowed)
        case .chunk(let data) where urlProtocol.task?.takesChunks != true:
            joined += data
        case .body(let data), .chunk(let data):
            if !data.isEmpty { client.urlProtocol(urlProtocol, didLoad: data) }
        case .finished:
            if !joined.isEmpty { client.urlProtocol(urlProtocol, didLoad: joined) }
            challenge?.hideURL()
            client.urlProtocolDidFinishLoading(urlProtocol)
            challenge?.showURL()
        case .failed(let error):
            client.urlProtocol(urlProtocol, didFailWithError: error)
        }
    }
}

extension URLSessionTask {
    /// Whether a delegate receives the chunks of the task, and not a completion handler.
    fileprivate var takesChunks: Bool {
        guard let session = loadingSession,
            let registry = Reflection.property("taskRegistry", of: session),
            let behaviours = Reflection.property("behaviours", of: registry) as? [Int: Any],
            let behaviour = behaviours[taskIdentifier]
        else { return false }
        return "\(behaviour)" == "callDelegate"
    }
}

extension MockLoadingError {
    fileprivate static let downloadTask = MockLoadingError(
        description: """
            On Linux a MockServer cannot respond to a download task: the system does not support \
            it. Load the data with a data task, or test the download on an Apple platform.
            """)
}

/// A 401 with a challenge that corelibs does not handle.
///
/// corelibs handles a Basic challenge itself when a load finishes: it sends the request over the real
/// network, or the load never ends. It ignores a challenge without a URL, so the response hides its
/// URL from corelibs only.
///
/// Unchecked because a lock guards the only property that it adds to its superclass.
final class ChallengeResponse: HTTPURLResponse, @unchecked Sendable {
    /// The thread on which the URL is hidden.
    private let thread = Locked<Thread?>(nil)

    /// Creates a copy of a response, or `nil` if it is not a 401 with a challenge.
    convenience init?(_ response: HTTPURLResponse) {
        guard response.statusCode == 401,
            response.value(forHTTPHeaderField: "WWW-Authenticate") != nil, let url = response.url
        else { return nil }
        self.init(
            url: url, statusCode: 401, httpVersion: "HTTP/1.1", headerFields: response.headers)
    }

    override var url: URL? { thread.withLock { $0 } === Thread.current ? nil : super.url }

    /// Hides the URL on the current thread.
    func hideURL() { thread.withLock { $0 = Thread.current } }

    func showURL() { thread.withLock { $0 = nil } }
}

extension URLSessionConfiguration {
    /// Has no effect, because there is one loader.
    func useClassicLoading() {}

    /// Returns the cookies of a request if the system has set them, with those for other paths and
    /// for https only.
    func systemCookies(of request: URLRequest) -> String? {
        guard let field = request.value(forHTTPHeaderField: "Cookie"), let url = request.url,
            let cookies = httpCookieStorage?.cookies(for: url)
        else { return nil }
        let pairs = Set(cookies.map { "\($0.name)=\($0.value)" })
        return pairs == Set(field.components(separatedBy: "; ")) ? field : nil
    }
}

extension RequestBody {
    /// Finds the body of the request that a protocol loads.
    init(of urlProtocol: URLProtocol) {
        // corelibs keeps the body of an upload task only in the task.
        guard let task = urlProtocol.task as? URLSessionUploadTask else {
            self.init(of: urlProtocol.request)
            return
        }
        let known = Reflection.property("knownBody", of: task)
        switch known.flatMap({ Mirror(reflecting: $0).children.first?.value }) {
        case let data as DispatchData: self.init(Data(data))
        case let file as URL:
            self.init {
                try await Blocking.run { _ in try Data(contentsOf: file) }
            }
        case let stream as InputStream: self.init(stream)
        default: self.init(isChunked: true) { try await task.bodyFromDelegate() }
        }
    }
}

extension URLSessionUploadTask {
    /// Asks the delegate for the body, as for a task made with `uploadTask(withStreamedRequest:)`.
    ///
    /// corelibs asks only when it loads the request itself.
    ///
    /// - Returns: The bytes of the delegate's stream, or none if the delegate has no stream.
    fileprivate func bodyFromDelegate() async throws -> Data {
        guard let session = loadingSession, Reflection.hasProperty("knownBody", of: self)
        else {
            throw MockLoadingError(
                description: """
                    This version of Foundation does not reveal the body of an upload task to a \
                    MockServer. Send the body as httpBody of the request, or use another version.
                    """)
        }
        guard let delegate else { return Data() }
        let body: RequestBody? = await session.delegateQueue.result { finish in
            delegate.urlSession(session, task: self) { stream in
                finish(stream.map { RequestBody($0) } ?? RequestBody(Data()))
            }
        }
        guard let body else { throw CancellationError() }
        return try await body.read()
    }
}

extension URLSessionTask {
    /// The session that made the task.
    var loadingSession: URLSession? { Reflection.property("session", of: self) as? URLSession }

    /// Returns the session that delegates receive: the task's session, or else the mock server's.
    ///
    /// The two differ if the app made its session from a copy of the configuration.
    func delegatingSession(or session: URLSession?) -> URLSession? { loadingSession ?? session }
}

extension HTTPURLResponse {
    private static let bareURL = URL(fileURLWithPath: "/dev/null/HTTPURLResponse")

    /// Creates a response with status 200 and no header fields, as on Apple platforms.
    ///
    /// ``MockURLProtocol/requestHandler`` may return it. The URL of the request then replaces its URL.
    public convenience init() {
        // With this status and this version the initializer does not fail.
        // swift-format-ignore: NeverForceUnwrap
        self.init(
            url: HTTPURLResponse.bareURL, statusCode: 200, httpVersion: "HTTP/1.1",
            headerFields: nil)!
    }

    /// Whether the response was made with `HTTPURLResponse()`.
    var isBare: Bool { url == HTTPURLResponse.bareURL }
}

extension FileLimit {
    #if canImport(Glibc)
    static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    static let resource = RLIMIT_NOFILE
    #endif

    /// A limit below the hard limit, because some programs loop over every possible descriptor.
    static let highest: rlim_t = 65_536
}

#endif
