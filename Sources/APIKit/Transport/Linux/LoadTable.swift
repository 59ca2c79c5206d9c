import Foundation

#if canImport(FoundationNetworking)

/// The delegate of a sibling session, which passes the events of each task to its load.
final class LoadTable: NSObject, URLSessionDataDelegate {
    private let loads = Locked<[Int: Load]>([:])

    func add(_ load: Load, for task: URLSessionTask) {
        loads.withLock { $0[task.taskIdentifier] = load }
    }

    func remove(_ task: URLSessionTask) {
        loads.withLock { $0[task.taskIdentifier] = nil }
    }

    /// Returns whether a load receives the progress of a task.
    func reportsProgress(of task: URLSessionTask) -> Bool { load(of: task)?.upload != nil }

    private func load(of task: URLSessionTask) -> Load? {
        loads.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let load = load(of: dataTask) else { return completionHandler(.allow) }
        load.urlSession(
            session, dataTask: dataTask, didReceive: response, completionHandler: completionHandler)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        load(of: dataTask)?.urlSession(session, dataTask: dataTask, didReceive: data)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        load(of: task)?.upload?.didSend(Int(totalBytesSent))
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        completionHandler(load(of: task)?.upload?.newStream())
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // Calling the completion handler of a task that is being canceled crashes the process.
        guard task.state == .running else { return }
        guard let load = load(of: task) else { return completionHandler(nil) }
        // A mock protocol follows redirects itself.
        if task.originalRequest.map(session.usesOwnProtocol) == true {
            return load.urlSession(
                session, task: task, willPerformHTTPRedirection: response, newRequest: request,
                completionHandler: completionHandler)
        }
        // The system drops the body of a 307 or 308 and the cookies that the redirect sets, and
        // resolves a relative location at the root. So the load makes a new task for the redirect.
        // It completes the old task at once, before that task can be canceled or time out.
        // The system delivers the redirect itself too late for the cookies of the next request.
        load.tasks.storeCookies(of: response, for: load)
        let next = load.nextRequest(after: response, of: task)
        if next != nil { load.state.withLock { $0.hold = .redirect } }
        completionHandler(nil)
        guard let next else { return }
        load.askDelegate(toFollow: next, after: response, of: task, decide: load.follow)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let load = load(of: task) else {
            Load.queue.async { completionHandler(.cancelAuthenticationChallenge, nil) }
            return
        }
        load.respond(to: challenge, of: task, completionHandler)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        guard let load = load(of: task) else { return }
        // Delegates never receive a redirect without a `Location`, but the head of a proxy before it.
        if error == nil, load.state.withLock({ $0.response == nil || $0.hold == .body }),
            let response = task.response, let task = task as? URLSessionDataTask
        {
            urlSession(session, dataTask: task, didReceive: response) { _ in }
            urlSession(session, dataTask: task, didReceive: task.redirectBody)
        }
        load.urlSession(session, task: task, didCompleteWithError: error)
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
