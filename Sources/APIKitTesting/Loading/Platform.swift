import APIKit
import Foundation

// Every difference between the platforms in answering a load is in this file.

#if canImport(FoundationNetworking)

/// The thread on which the loading system has to be told of a load.
///
/// On Linux it is a queue that all sessions of the process share. It is not public; should it ever
/// be out of reach, a task that is suspended and resumed is started on it once more, which does the
/// same in more time.
struct LoadingThread: @unchecked Sendable {
    private let task: URLSessionTask?
    private let queue: DispatchQueue?

    private static let queue =
        Mirror(reflecting: URLSession(configuration: .ephemeral)).children
        .first { $0.label == "workQueue" }?.value as? DispatchQueue

    init(of urlProtocol: URLProtocol) {
        self.init(task: urlProtocol.task, queue: LoadingThread.queue)
    }

    init(task: URLSessionTask?, queue: DispatchQueue?) {
        self.task = task
        self.queue = queue
    }

    func run(_ work: @escaping @Sendable () -> Void) {
        if let queue {
            queue.async(execute: work)
        } else {
            task?.suspend()
            task?.resume()
        }
    }
}

enum Platform {
    /// Whether the task is past being told anything.
    static func isEnded(_ task: URLSessionTask?) -> Bool {
        switch task?.state {
        case .canceling, .completed: true
        default: false
        }
    }

    static func isSuspended(_ task: URLSessionTask?) -> Bool { task?.state == .suspended }

    /// Whether the load is being stopped for good: a task that is suspended is stopped as well.
    static func isEnding(_ task: URLSessionTask?) -> Bool { isEnded(task) }

    /// The error for a task that would end the process if it were answered.
    static func refusal(of task: URLSessionTask?) -> (any Error)? {
        task is URLSessionDownloadTask ? MockLoadingError.downloadTask : nil
    }

    /// Raises the number of files that the process may open, where it is low.
    ///
    /// A session has two sockets from its start, and Swift Testing starts all tests at once: with
    /// the usual limit of 1,024, some hundreds of tests would be too many.
    static func raiseFileLimit() {
        #if canImport(Glibc)
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let files = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(files, &limit) == 0 else { return }
        // Not to the highest: some programs look at each number that a file could have.
        let wanted = min(limit.rlim_max, 65_536)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = wanted
        // Where that is refused, a test that opens too many fails with the system's own words.
        setrlimit(files, &limit)
    }

    /// Whether the client of a task is told of chunks, and not only of the last that it is told.
    static func takesChunks(_ task: URLSessionTask?) -> Bool {
        guard let task, let session = session(of: task),
            let registry = Reflection.property("taskRegistry", of: session),
            let behaviours = Reflection.property("behaviours", of: registry) as? [Int: Any],
            let behaviour = behaviours[task.taskIdentifier]
        else { return false }
        return "\(behaviour)" == "callDelegate"
    }

    /// Asks a delegate where a redirect leads.
    static func ask(
        _ delegate: any URLSessionTaskDelegate, of session: URLSession,
        toRedirect task: URLSessionTask, after response: HTTPURLResponse, to request: URLRequest,
        answer: @escaping @Sendable (URLRequest?) -> Void
    ) {
        delegate.urlSession(
            session, task: task, willPerformHTTPRedirection: response, newRequest: request,
            completionHandler: answer)
    }

    /// The session of a task, whoever made it.
    static func session(of task: URLSessionTask) -> URLSession? {
        Reflection.property("session", of: task) as? URLSession
    }

    static func body(of urlProtocol: URLProtocol) -> RequestBody {
        // The body of an upload task is in the task alone.
        if let task = urlProtocol.task as? URLSessionUploadTask, let body = uploadBody(of: task) {
            return body
        }
        return RequestBody(of: urlProtocol.request)
    }

    private static func uploadBody(of task: URLSessionUploadTask) -> RequestBody? {
        guard let body = Reflection.property("knownBody", of: task) else { return nil }
        return switch Mirror(reflecting: body).children.first?.value {
        case let data as DispatchData: .data(Data(data))
        case let file as URL: .file(file)
        case let input as InputStream: .stream(.init(input: input))
        default: nil
        }
    }

    /// Returns a response as it can be delivered.
    ///
    /// A 401 that asks for Basic authentication would never arrive, and with a credential the
    /// system would take the request to the real network. It recognizes such a response by the
    /// scheme of its URL, in lower case.
    static func deliverable(_ response: HTTPURLResponse) -> HTTPURLResponse {
        guard response.statusCode == 401,
            response.value(forHTTPHeaderField: "WWW-Authenticate") != nil,
            let url = response.url,
            var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return response }
        components.scheme = components.scheme?.uppercased()
        let disguised = components.url.flatMap {
            HTTPURLResponse(
                url: $0, statusCode: 401, httpVersion: "HTTP/1.1", headerFields: response.headers)
        }
        return disguised ?? response
    }

    /// Whether a response was made with `HTTPURLResponse()` and says nothing.
    static func isBare(_ response: HTTPURLResponse) -> Bool {
        response.url == HTTPURLResponse.bareURL
    }
}

extension HTTPURLResponse {
    fileprivate static let bareURL = URL(fileURLWithPath: "/dev/null/HTTPURLResponse")

    /// Creates a response with status 200 that says nothing else, as on Apple platforms.
    public convenience init() {
        // With a status and a version that are fine, the initializer does not fail.
        // swift-format-ignore: NeverForceUnwrap
        self.init(
            url: HTTPURLResponse.bareURL, statusCode: 200, httpVersion: "HTTP/1.1",
            headerFields: nil)!
    }
}

#else

/// The thread on which the loading system has to be told of a load: the one that started it.
struct LoadingThread: @unchecked Sendable {
    private let runLoop: CFRunLoop? = CFRunLoopGetCurrent()
    // The mode may be one of the system's own, in which nothing for the default one is run.
    private let modes =
        [RunLoop.Mode.default, RunLoop.current.currentMode ?? .default]
        .map(\.rawValue) as CFArray

    init(of urlProtocol: URLProtocol) {}

    func run(_ work: @escaping @Sendable () -> Void) {
        CFRunLoopPerformBlock(runLoop, modes, work)
        CFRunLoopWakeUp(runLoop)
    }
}

enum Platform {
    /// Whether the task is past being told anything; the system takes care of that by itself.
    static func isEnded(_ task: URLSessionTask?) -> Bool { false }

    /// Whether the task is suspended; the system holds back what it is told by itself.
    static func isSuspended(_ task: URLSessionTask?) -> Bool { false }

    /// Whether the load is being stopped for good, as it always is.
    static func isEnding(_ task: URLSessionTask?) -> Bool { true }

    static func refusal(of task: URLSessionTask?) -> (any Error)? { nil }

    // A session has no file until it loads.
    static func raiseFileLimit() {}

    /// Whether the client of a task is told of chunks; the system joins them where it is not.
    static func takesChunks(_ task: URLSessionTask?) -> Bool { true }

    /// Asks a delegate where a redirect leads.
    static func ask(
        _ delegate: any URLSessionTaskDelegate, of session: URLSession,
        toRedirect task: URLSessionTask, after response: HTTPURLResponse, to request: URLRequest,
        answer: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let asked: Void? = delegate.urlSession?(
            session, task: task, willPerformHTTPRedirection: response, newRequest: request,
            completionHandler: answer)
        if asked == nil { answer(request) }
    }

    /// The session of a task, which does not tell.
    static func session(of task: URLSessionTask) -> URLSession? { nil }

    static func body(of urlProtocol: URLProtocol) -> RequestBody {
        RequestBody(of: urlProtocol.request)
    }

    /// Returns a response as it can be delivered.
    static func deliverable(_ response: HTTPURLResponse) -> HTTPURLResponse { response }

    /// Whether a response was made with `HTTPURLResponse()` and says nothing.
    static func isBare(_ response: HTTPURLResponse) -> Bool { response.url == nil }
}

#endif
