import Foundation

#if canImport(FoundationNetworking)

extension Transfer {
    // The system forgets the body on a 307 and 308, sends no cookies that the redirect set when a
    // task has a delegate, and resolves a relative location at the root. So it is told not to
    // follow, and what it would have followed is loaded as a request of its own.
    func redirect(
        _ task: URLSessionTask,
        of loader: URLSession,
        after response: HTTPURLResponse,
        to request: URLRequest,
        by tasks: any TransferTasks,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // A cancelled task may be taken apart while it is looked at.
        var isLoadedElsewhere = false
        ifWaiting { isLoadedElsewhere = task.isLoadedElsewhere }
        guard !isLoadedElsewhere else {
            return decide(on: request, after: response, of: task, completionHandler)
        }
        let chain = redirects.withLock { chain in
            chain.count += 1
            return chain
        }
        // The system ends the process when it is answered after the task was cancelled or timed
        // out, so it does not wait for the delegate of the session. The body is lost if it is not
        // taken first.
        var body = Data()
        let isWaiting = ifWaiting {
            body = task.redirectBody
            completionHandler(nil)
        }
        guard isWaiting else {
            if !loader.canCancelTasks { completionHandler(nil) }
            return
        }

        let answer = (body, response as URLResponse)
        guard let current = chain.current,
            let next = Redirect.request(after: response, to: current)
        else {
            finish(.success(answer))
            return
        }
        guard chain.count <= Redirect.limit else {
            finish(.failure(URLError(.httpTooManyRedirects)))
            return
        }
        decide(on: next, after: response, of: task) { next in
            if let next {
                self.load(next, in: loader.takingTasks, by: tasks)
            } else {
                self.finish(.success(answer))
            }
        }
    }

    /// Asks the delegate of the session about a redirect.
    func ask(
        _ delegate: any URLSessionTaskDelegate, about request: URLRequest,
        after response: HTTPURLResponse, of task: URLSessionTask,
        _ decide: @escaping @Sendable (URLRequest?) -> Void
    ) {
        delegate.urlSession(
            session, task: task, willPerformHTTPRedirection: response, newRequest: request,
            completionHandler: decide)
    }

    // A challenge that nobody has a credential for is never answered by Swift 6.3.1 and earlier
    // (https://github.com/swiftlang/swift-corelibs-foundation/pull/5457), and one for a digest ends
    // the process. The 401 that holds the challenge is the answer in both cases.
    func answer(
        _ challenge: URLAuthenticationChallenge,
        of task: URLSessionTask,
        body: @escaping @Sendable (URLSessionTask) -> Data,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let isBasic =
            challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
        let decide: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = {
            disposition, credential in
            switch disposition {
            case .useCredential where isBasic && credential != nil,
                .performDefaultHandling
            where isBasic && challenge.proposedCredential != nil
                && challenge.previousFailureCount == 0:
                // To log in the system suspends and resumes the task, and it ends the process when
                // the task is cancelled in between. Here nobody does.
                Self.cancellationQueue.async {
                    completionHandler(
                        self.isWaiting ? disposition : .cancelAuthenticationChallenge, credential)
                }
            case .cancelAuthenticationChallenge:
                completionHandler(disposition, nil)
            default:
                // Again, before a cancelled task is taken apart.
                var arrived = Data()
                self.ifWaiting { arrived = body(task) }
                if let response = challenge.failureResponse {
                    self.finish(.success((arrived, response)))
                }
                completionHandler(.cancelAuthenticationChallenge, nil)
            }
        }
        guard let delegate = session.delegate as? any URLSessionTaskDelegate else {
            return decide(.performDefaultHandling, nil)
        }
        delegate.urlSession(
            session, task: task, didReceive: challenge, completionHandler: decide)
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
        transfer.redirect(
            task, of: session, after: response, to: request, by: self,
            completionHandler: completionHandler)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        transfer.answer(
            challenge, of: task, body: { $0.loadedBody }, completionHandler: completionHandler)
    }
}

#endif
