import APIKit
import Foundation

#if canImport(FoundationNetworking)

/// The client of a URL protocol.
///
/// A call outside the loading thread, or after the end of the task, crashes the process: corelibs
/// does not move calls to its queue, and does not ignore late ones.
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
            // Not `sync`: a task that waits keeps one of the few threads that run all tasks.
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
    fileprivate var hasEnded: Bool { state == .canceling || state == .completed }

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

#endif
