import Foundation

#if canImport(FoundationNetworking)

// MARK: - Redirects

extension Load {
    /// Returns the request that follows a redirect, or `nil` if the response is final.
    ///
    /// The load holds the response back until the delegate has decided. If a protocol follows
    /// redirects itself, `proposal` is the request that it would send.
    func proposeRedirect(
        _ proposal: URLRequest?, after response: HTTPURLResponse, of task: URLSessionTask
    ) -> URLRequest? {
        do {
            return try state.withLock { state in
                guard state.task === task else { return nil }
                let next = try redirects.allowed(
                    proposal.map { Redirect.checked($0, after: response, to: state.request) }
                        ?? Redirect.request(after: response, to: state.request),
                    after: response, redirectCount: state.redirectCount)
                state.isDeciding = next != nil
                return next
            }
        } catch {
            finish(.failure(error))
            return nil
        }
    }

    /// Asks the delegate of the session whether to follow a redirect.
    ///
    /// `follow` receives the request to send, or `nil` if the redirect is the response.
    func redirect(
        to next: URLRequest, after response: HTTPURLResponse, of task: URLSessionTask,
        _ follow: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let delegate = session.delegate as? any URLSessionTaskDelegate else {
            return Self.queue.async { follow(next) }
        }
        session.delegateQueue.addOperation { [session] in
            task.ask([delegate], of: session, toFollow: next, after: response, decide: follow)
        }
    }

    /// Records the next request of a task whose protocol follows redirects itself.
    func continueTask(with next: URLRequest?) {
        state.withLock { state in
            state.isDeciding = false
            guard let next else { return }
            state.request = next
            state.redirectCount += 1
        }
    }

    /// Loads the next request with a new task, or completes with the redirect if it is `nil`.
    func follow(_ next: URLRequest?) {
        let previous = state.withLock { state -> State? in
            guard state.isDeciding, !state.isOver else { return nil }
            let previous = state
            state.isDeciding = false
            state.isHeldBack = false
            if next != nil {
                (state.task, state.response, state.isComplete) = (nil, nil, false)
                state.redirectCount += 1
                body.removeAll()
            }
            return previous
        }
        guard let previous else { return }
        if let next {
            if let task = previous.task { sibling.loads.remove(task) }
            send(next)
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
                if logsIn, state.withLock({ $0.task === task && $0.isHeldBack }) {
                    return completionHandler(disposition, credential)
                }
                if disposition != .cancelAuthenticationChallenge { complete(task, with: nil) }
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
}

#endif
