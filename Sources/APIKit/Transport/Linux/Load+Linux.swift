import Foundation

#if canImport(FoundationNetworking)

// MARK: - Redirects

extension Load {
    /// Loads the next request with a new task, or completes with the redirect if it is `nil`.
    func follow(_ next: URLRequest?) {
        let previous = state.withLock { state -> State? in
            guard state.hold == .redirect, !state.isOver else { return nil }
            let previous = state
            state.hold = nil
            if next != nil {
                (state.task, state.response, state.isComplete) = (nil, nil, false)
                state.redirectCount += 1
                body.removeAll()
            }
            return previous
        }
        guard let previous else { return }
        if let next {
            if let task = previous.task { tasks.release(task) }
            // A redirect that becomes a GET drops the body.
            send(next, uploading: next.method == .get ? nil : upload)
        } else if let response = previous.response {
            if previous.isComplete { finish(.success(response)) }
            headWaiter.answer(.success(response))
        }
    }
}

// MARK: - Challenges

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
            Self.queue.async { [self] in
                // A load that has been canceled, or whose caller has the 401, must not send the
                // request again.
                let refused = state.withLock { state -> URLResponse? in
                    guard logsIn, state.task === task, state.hold == .login else { return nil }
                    return state.response.take()
                }
                if let refused {
                    tasks.storeCookies(of: refused, for: self)
                    return completionHandler(disposition, credential)
                }
                if disposition != .cancelAuthenticationChallenge {
                    urlSession(session, task: task, didCompleteWithError: nil)
                }
                completionHandler(.cancelAuthenticationChallenge, nil)
            }
        }
        guard let delegate = sessionDelegate else { return decide(.performDefaultHandling, nil) }
        session.delegateQueue.addOperation { [session] in
            delegate.urlSession(
                session, task: task, didReceive: challenge, completionHandler: decide)
        }
    }
}

#endif
