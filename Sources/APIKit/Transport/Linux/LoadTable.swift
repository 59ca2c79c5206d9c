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

    /// Ends all loads, because the original session cancels its tasks.
    func cancelAll() {
        let loads = loads.withLock { Array($0.values) }
        for load in loads { load.stop(throwing: URLError(.cancelled)) }
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
        completionHandler(.allow)
        load(of: dataTask)?.receive(response, of: dataTask)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        load(of: dataTask)?.receive(data, of: dataTask)
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
        let isMocked = task.originalRequest.map(session.usesOwnProtocol) == true
        guard let load = load(of: task),
            let next = load.proposeRedirect(isMocked ? request : nil, after: response, of: task)
        else { return completionHandler(nil) }
        if isMocked {
            // A mock protocol follows redirects itself, with the body of an upload.
            return load.redirect(to: next, after: response, of: task) { next in
                load.continueTask(with: next)
                completionHandler(next)
            }
        }
        // The system drops the body of a 307 or 308 and the cookies that the redirect sets, and
        // resolves a relative location at the root. So the load makes a new task for the redirect.
        // It completes the old task at once, before that task can be canceled or time out.
        completionHandler(nil)
        load.redirect(to: next, after: response, of: task, load.follow)
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
        load(of: task)?.complete(task, with: error)
    }
}

#endif
