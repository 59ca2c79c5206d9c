import Foundation

#if canImport(FoundationNetworking)

extension Load {
    /// Logs in if the session's delegate or the challenge has a credential for Basic authentication.
    ///
    /// Otherwise the 401 is the response, unless the delegate cancels the challenge. By itself, the
    /// system never completes a task without a credential (up to and including Swift 6.3.1,
    /// https://github.com/swiftlang/swift-corelibs-foundation/pull/5457), and crashes for Digest.
    func respond(
        to challenge: URLAuthenticationChallenge, of task: URLSessionTask,
        _ completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let isBasic =
            challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
        let decide: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = {
            disposition, credential in
            let logsIn =
                switch disposition {
                case .useCredential: isBasic && credential != nil
                case .performDefaultHandling:
                    isBasic && challenge.proposedCredential != nil
                        && challenge.previousFailureCount == 0
                default: false
                }
            Self.queue.async {
                if logsIn, self.mayRestart(task) {
                    return completionHandler(disposition, credential)
                }
                if disposition != .cancelAuthenticationChallenge { self.complete(task, with: nil) }
                completionHandler(.cancelAuthenticationChallenge, nil)
            }
        }
        guard let delegate = session.delegate as? any URLSessionTaskDelegate else {
            return decide(.performDefaultHandling, nil)
        }
        session.delegateQueue.addOperation { [session] in
            delegate.urlSession(
                session, task: task, didReceive: challenge, completionHandler: decide)
        }
    }

    private func mayRestart(_ task: URLSessionTask) -> Bool {
        state.withLock { $0.task === task && $0.isHeldBack }
    }
}

extension URLResponse {
    /// Whether the system may log in after the response.
    ///
    /// The system reads only the first challenge, and supports only Basic.
    var asksForLogin: Bool {
        guard let http = self as? HTTPURLResponse, http.statusCode == 401,
            let challenge = http.value(forHTTPHeaderField: "WWW-Authenticate")
        else { return false }
        return challenge.lowercased().hasPrefix("basic")
    }
}

#endif
