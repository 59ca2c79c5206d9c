import Foundation

#if canImport(FoundationNetworking)

/// The session that loads in place of a user's session.
///
/// It has the same protocols, but no cache, because canceling a task of a session with a cache can
/// crash the process. It has no cookies either, because the load itself sends and stores those of the
/// original session. Its delegate receives chunks, which task delegates do not receive on Linux.
final class Sibling: Sendable {
    let session: URLSession
    /// Whether a proxy may have to tunnel, read once because each look allocates memory.
    private let hasProxy = Proxy.isConfigured

    private init(of original: URLSession) {
        let configuration = original.configuration.duplicate
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        // After a redirect, the system would send these headers to another origin too.
        configuration.httpAdditionalHeaders = nil
        configuration.timeoutIntervalForRequest = configuration.timeoutIntervalForRequest.orYear
        session = URLSession(
            configuration: configuration, delegate: SiblingDelegate(), delegateQueue: InlineQueue())
    }

    var configuration: URLSessionConfiguration { session.configuration }

    /// Runs a closure that makes and starts a task, on the queue of all loads.
    ///
    /// Both steps wait for the one queue of the system, where a redirect with a large body takes
    /// seconds. A thread that runs tasks must not wait for so long. A queue for each session would hold
    /// a thread for each, until the queue of the system has none to run on.
    func makingTask(_ work: @escaping @Sendable () -> Void) { Load.queue.async(execute: work) }

    func makeTask(
        for request: URLRequest, sending upload: URLSessionTransport.Upload?, to load: Load
    ) -> URLSessionTask {
        var request = request
        // The load keeps the request without them, because the next URL may have other cookies.
        if let cookies = load.session.configuration.cookies(for: request) {
            request.setValue(cookies, forHTTPHeaderField: "Cookie")
        }
        // A request that sets no timeout has that of the configuration, and 60 seconds here. The system
        // overlooks the timeout of an initializer, so it is set once more.
        let timeout = request.timeoutInterval.orYear
        if timeout != 60 { request.timeoutInterval = timeout }
        // The system states a length of zero for every method but GET. A field without a value is not
        // sent (https://curl.se/libcurl/c/CURLOPT_HTTPHEADER.html).
        if upload == nil, request.httpBody == nil, request.httpBodyStream == nil,
            !request.method.expectsBody, request.method != .get,
            !session.usesOwnProtocol(for: request)
        {
            request.setValue(" ", forHTTPHeaderField: "Content-Length")
        }
        let task =
            upload.map { session.task(for: request, sending: $0) }
            ?? session.dataTask(with: request)
        task.delegate = load
        return task
    }

    /// Limits the time for the whole load, unless a mock does it.
    ///
    /// The system ignores `timeoutIntervalForResource`.
    func startTimer(of load: Load) {
        guard
            let limit = load.session.configuration.timeoutIntervalForResource.limit(unless: .week),
            case let request = load.state.withLock(\.request),
            !session.usesOwnProtocol(for: request)
        else { return }
        let cancel = SharedTimers.continuous.schedule(at: .now + limit) { [weak load] in
            let url = load?.state.withLock(\.request.url)
            load?.stop(throwing: URLError(.timedOut, failing: url))
        }
        load.state.withLock { $0.cancelTimer = cancel }
    }

    /// Stores the cookies of a response, unless a mock has done it.
    func storeCookies(of response: URLResponse, for load: Load) {
        guard let http = response as? HTTPURLResponse,
            let field = http.value(forHTTPHeaderField: "Set-Cookie"),
            case let request = load.state.withLock(\.request),
            !session.usesOwnProtocol(for: request)
        else { return }
        load.session.configuration.storeCookies(field, after: request)
    }

    /// Returns why the system may report another head after a response, or `nil` if it cannot.
    ///
    /// The system logs in by itself. It reads only the first challenge, and supports only Basic. libcurl
    /// reports the reply of a proxy to CONNECT like a response (RFC 9110, section 9.3.6). After a 417 it
    /// sends the request again without `Expect` (section 10.1.1).
    func hold(on response: URLResponse, to request: URLRequest) -> Load.Hold? {
        guard let http = response as? HTTPURLResponse else { return nil }
        if http.statusCode == 401,
            let challenge = http.value(forHTTPHeaderField: "WWW-Authenticate"),
            challenge.lowercased().hasPrefix("basic")
        {
            return .login
        }
        let isSentAgain =
            http.statusCode == 417 && request.value(forHTTPHeaderField: "Expect") != nil
        let isTunneled = hasProxy && Proxy(tunnelingTo: request.url) != nil
        guard isSentAgain || isTunneled, !session.usesOwnProtocol(for: request) else { return nil }
        return .untilBody
    }
}

extension TimeInterval {
    /// The timeout, or a year in place of none.
    ///
    /// For zero the system expires at once, and it traps on large numbers.
    fileprivate var orYear: TimeInterval { self > 0 && self < .year ? self : .year }
}

extension URLSessionConfiguration {
    /// Returns whether the properties are equal that the system reads whenever a task starts.
    ///
    /// On Linux `configuration` is the session's own object, not a copy. Changes to other properties
    /// have no effect on a session.
    fileprivate func startsTasks(like other: URLSessionConfiguration) -> Bool {
        timeoutIntervalForRequest == other.timeoutIntervalForRequest.orYear
            && urlCredentialStorage === other.urlCredentialStorage
            && (protocolClasses ?? []).elementsEqual(other.protocolClasses ?? [], by: ==)
    }
}

/// On Linux the sibling of a session makes the tasks of its loads.
typealias TaskMaker = Sibling

extension URLSession {
    var taskMaker: TaskMaker { Sibling.of(self) }
}

extension Sibling {
    /// Returns this sibling, or another one if the properties of the session have changed.
    func current(for original: URLSession) -> Sibling {
        configuration.startsTasks(like: original.configuration) ? self : .of(original)
    }

    private static let key = DispatchSpecificKey<Sibling>()
    private static let creation = NSLock()

    /// Returns the sibling of a session, which lives as long as the session.
    static func of(_ original: URLSession) -> Sibling {
        // Only the session owns its queue, so the queue can retain the sibling. Without a queue, each
        // load has its own sibling.
        let queue = Reflection.property("workQueue", of: original) as? DispatchQueue
        return creation.withLock {
            if let sibling = queue?.getSpecific(key: key),
                sibling.configuration.startsTasks(like: original.configuration)
            {
                return sibling
            }
            let sibling = Sibling(of: original)
            queue?.setSpecific(key: key, value: sibling)
            return sibling
        }
    }
}

/// A queue that runs an operation immediately, on the thread that adds it.
///
/// The system reads the next chunk before the delegate has processed the last one, so any other queue
/// could grow without limit. Unchecked like its superclass, to whose state it adds nothing.
private final class InlineQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        block()
    }
}

#endif
