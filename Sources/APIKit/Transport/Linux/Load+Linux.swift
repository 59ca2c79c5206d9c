import Foundation

#if canImport(FoundationNetworking)

// MARK: - Redirects

extension Load {
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // Calling the completion handler of a task that is being canceled crashes the process.
        guard task.state == .running else { return }
        // A mock protocol follows redirects itself.
        if task.originalRequest.map(session.usesOwnProtocol) == true {
            return redirect(task, after: response, to: request, completionHandler)
        }
        // The system drops the body of a 307 or 308 and the cookies that the redirect sets, and
        // resolves a relative location at the root. So the load makes a new task for the redirect.
        // It completes the old task at once, before that task can be canceled or time out.
        // The system delivers the redirect itself too late for the cookies of the next request.
        tasks.storeCookies(of: response, for: self)
        let next = nextRequest(after: response, of: task)
        if next != nil { state.withLock { $0.hold = .redirect } }
        completionHandler(nil)
        guard let next else { return }
        askDelegate(toFollow: next, after: response, of: task) { [self] in
            follow($0, after: response)
        }
    }

    /// Loads the next request with a new task, or completes with the redirect if it is `nil`.
    private func follow(_ next: URLRequest?, after redirect: HTTPURLResponse) {
        let previous = state.withLock { state -> State? in
            guard state.hold == .redirect, !state.isOver else { return nil }
            let previous = state
            state.hold = nil
            if next != nil {
                (state.task, state.response) = (nil, nil)
                state.redirectCount += 1
                body.removeAll()
            }
            return previous
        }
        guard let previous else { return }
        if let next {
            attempt?.follow(next, after: redirect, to: previous.request)
            // A redirect that becomes a GET drops the body.
            send(next, uploading: next.method == .get ? nil : upload)
        } else if let response = previous.response {
            if previous.task == nil { finish(.success(response)) }
            show(response)
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
    func urlSession(
        _: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let isBasic =
            challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
        let decide: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = {
            [self] disposition, credential in
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
                    // A stream has been read, so the system would send an empty body.
                    guard logsIn, state.task === task, state.hold == .login,
                        state.request.httpBodyStream == nil
                    else { return nil }
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

// MARK: - Uploads

extension Load {
    /// Fails a load whose body libcurl has sent and would send again.
    ///
    /// The server of a kept connection may close it as the next request arrives. libcurl then repeats
    /// any method, even if the server may have processed it (RFC 9110, section 9.2.2). For a login and
    /// after a 417, the system does not ask.
    func urlSession(
        _: URLSession,
        task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        stop(
            throwing: URLError(.networkConnectionLost, failing: state.withLock(\.request.url)))
        // Without a stream in place of a stream, libcurl would send an empty body. In place of data,
        // the system accepts no stream, and sends no body.
        let isStream = task.originalRequest?.httpBodyStream != nil
        completionHandler(isStream ? FileStream(nil, size: 1) : nil)
    }
}

#endif
