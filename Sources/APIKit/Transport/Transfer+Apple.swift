import Foundation

#if !canImport(FoundationNetworking)

extension URLSession {
    /// Whether a running task may be cancelled.
    var canCancelTasks: Bool { true }

    /// Returns a task that sends a file, whose size the system finds out by itself.
    func uploadTask(with request: URLRequest, from file: URL, size: Int) -> URLSessionTask {
        uploadTask(with: request, fromFile: file)
    }
}

extension URLRequest {
    /// The flags that decide by which network and with which cookies the request is sent.
    var networkFlags: [Bool] {
        [
            allowsCellularAccess, allowsExpensiveNetworkAccess, allowsConstrainedNetworkAccess,
            httpShouldHandleCookies, assumesHTTP3Capable,
        ]
    }
}

extension Transfer {
    /// Asks the delegate of the session about a redirect.
    ///
    /// A task's own delegate hides the session's, whose method is optional here.
    func ask(
        _ delegate: any URLSessionTaskDelegate, about request: URLRequest,
        after response: HTTPURLResponse, of task: URLSessionTask,
        _ decide: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let asked: Void? = delegate.urlSession?(
            session, task: task, willPerformHTTPRedirection: response, newRequest: request,
            completionHandler: decide)
        if asked == nil { decide(request) }
    }
}

extension DataTransfer {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        transfer.decide(on: request, after: response, of: task, completionHandler)
    }
}

extension StreamTransfer {
    /// The session itself, whose tasks tell their own delegate of chunks.
    var firstSession: URLSession { transfer.session }

    func becomeDelegate(of task: URLSessionTask) { task.delegate = self }

    /// Whether a response may turn out not to be the last; challenges are met before it arrives.
    func mayStartOver(after response: URLResponse) -> Bool { false }

    /// What no delegate is told of a body, which is nothing.
    func unheardBody(of task: URLSessionTask) -> Data { Data() }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        transfer.decide(on: request, after: response, of: task, completionHandler)
    }
}

extension Error {
    /// The error as it is on every platform, which is as it is.
    func asOnEveryPlatform(hasHead: Bool = false) -> any Error { self }
}

#endif
