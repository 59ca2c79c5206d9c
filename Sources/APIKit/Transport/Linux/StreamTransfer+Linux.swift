import Foundation

#if canImport(FoundationNetworking)

extension StreamTransfer {
    /// A session that tells of chunks, which no session does to the delegate of a task alone.
    ///
    /// It has the configuration of the session given, its protocols and cookies above all. Without
    /// a cache, as no task of a session with one can be cancelled.
    var firstSession: URLSession {
        let configuration = transfer.session.configuration.duplicate
        configuration.urlCache = nil
        return URLSession(
            configuration: configuration, delegate: self, delegateQueue: InlineQueue())
    }

    /// The delegate of the session has no need to be that of its tasks.
    func becomeDelegate(of task: URLSessionTask) {}

    /// Whether a response may turn out not to be the last, and its task start over.
    func mayStartOver(after response: URLResponse) -> Bool {
        guard let response = response as? HTTPURLResponse else { return false }
        return response.statusCode == 401
            && response.value(forHTTPHeaderField: "WWW-Authenticate") != nil
    }

    /// What no delegate is told of the body of a redirect that leads nowhere.
    func unheardBody(of task: URLSessionTask) -> Data { task.redirectBody }

    // On the thread that these are called on no task can be made, and no code of the user's run.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        transfer.session.delegateQueue.addOperation { [self] in
            transfer.redirect(
                task, of: session, after: response, to: request, by: self,
                completionHandler: completionHandler)
        }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        transfer.session.delegateQueue.addOperation { [transfer] in
            transfer.answer(
                challenge, of: task, body: { _ in Data() }, completionHandler: completionHandler)
        }
    }
}

/// A queue that runs what it is given at once.
///
/// The system hands a chunk to the queue of the delegate and goes on to the next, so any other
/// queue could grow without a bound.
private final class InlineQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        block()
    }
}

#endif
