import APIKit
import Foundation

#if !canImport(FoundationNetworking)

/// The client of a URL protocol.
///
/// Unchecked because only the loading thread, or the serial queue, uses the protocol.
final class LoadingClient: @unchecked Sendable {
    private weak var urlProtocol: URLProtocol?
    private let runLoop: CFRunLoop? = CFRunLoopGetCurrent()
    /// The mode in which the loading system runs the loop, or `nil` if the loop does not run.
    private let mode = RunLoop.current.currentMode
    private let queue = DispatchQueue(label: "APIKit.LoadingClient")

    /// Whether a session follows a redirect whose body is cut.
    static let seesCutRedirects = true

    /// Creates the client of a protocol, on the thread that started the protocol.
    init(of urlProtocol: URLProtocol) {
        self.urlProtocol = urlProtocol
    }

    /// Runs work on the loading thread, from any thread.
    ///
    /// The new loading mode of a session may start a protocol on a thread without a running loop, where
    /// the work would never run. Then it runs on a queue of the load.
    func run(_ work: @escaping @Sendable () -> Void) {
        guard let mode else { return queue.async(execute: work) }
        // The mode may be a private one.
        let modes = [RunLoop.Mode.default, mode].map(\.rawValue) as CFArray
        CFRunLoopPerformBlock(runLoop, modes, work)
        CFRunLoopWakeUp(runLoop)
    }

    /// The system may hold back the events of a suspended task: no source says so, and `FirstRunTests` asks.
    let isSuspended = false

    /// The system calls `stopLoading` only at the end of a load.
    let isStopped = true

    /// Passes an event to the loading system.
    func receive(_ event: LoadingEvent) {
        guard let urlProtocol, let client = urlProtocol.client else { return }
        switch event {
        case .response(let response):
            client.urlProtocol(
                urlProtocol, didReceive: response, cacheStoragePolicy: .notAllowed)
        case .body(let data), .chunk(let data):
            if !data.isEmpty { client.urlProtocol(urlProtocol, didLoad: data) }
        case .finished:
            client.urlProtocolDidFinishLoading(urlProtocol)
        case .failed(let error):
            client.urlProtocol(urlProtocol, didFailWithError: error.carried)
        }
    }
}

extension Error {
    /// The error in a form that survives a URL session.
    ///
    /// Since iOS 14 and macOS 11 the session rebuilds the error of a protocol from its domain, code
    /// and user info. A `URLError` is passed unchanged; any other error travels in the user info.
    fileprivate var carried: any Error {
        guard !(self is URLError) else { return self }
        let error = self as NSError
        var userInfo = error.userInfo
        userInfo[carriedErrorKey] = self
        return NSError(domain: error.domain, code: error.code, userInfo: userInfo)
    }
}

extension URLSessionConfiguration {
    /// Selects the loader that asks a protocol as every earlier version of the system does.
    func useClassicLoading() {
        if #available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *) {
            usesClassicLoadingMode = true
        }
    }

    /// Returns `nil`, because the system sets only cookies that a request may have.
    func systemCookies(of request: URLRequest) -> String? { nil }
}

extension RequestBody {
    /// Finds the body of the request that a protocol loads.
    init(of urlProtocol: URLProtocol) {
        self.init(of: urlProtocol.request)
        // The system passes every body to a protocol as a stream.
        isChunked = isChunked && urlProtocol.task?.sendsStream == true
    }
}

extension URLSessionTask {
    /// Whether the app has set a stream as the body of the request.
    ///
    /// `countOfBytesExpectedToSend` may still be unknown here, even for data or a file. So a stream
    /// that a delegate provides to an upload task is not detected.
    fileprivate var sendsStream: Bool {
        originalRequest?.httpBody == nil && originalRequest?.httpBodyStream != nil
    }
}

extension URLSessionTask {
    /// Returns the session that delegates receive: the mock server's session, or a stand-in.
    ///
    /// A task does not reveal its session.
    func delegatingSession(or session: URLSession?) -> URLSession? { session ?? standIn }
}

// The session that a delegate receives if the task's session is unknown. It loads nothing.
private let standIn = URLSession(configuration: .ephemeral)

extension HTTPURLResponse {
    /// Whether the response was made with `HTTPURLResponse()`.
    var isBare: Bool { url == nil }
}

extension FileLimit {
    static let resource: Int32 = RLIMIT_NOFILE

    /// The highest limit that `setrlimit` accepts, according to its manual page.
    static let highest = rlim_t(OPEN_MAX)
}

#endif
