import Foundation

// Every difference between the platforms in loading data is in this file.

#if canImport(FoundationNetworking)

extension URLSession {
    /// Whether a running task may be cancelled.
    ///
    /// With a cache, the system looks the request up on a queue of its own; a task that is
    /// cancelled meanwhile and finishes first ends the process with "Trying to access a behaviour
    /// for a task that in not in the registry".
    var canCancelTasks: Bool { configuration.urlCache == nil }

    /// This session, or one like it if this one was told to finish its tasks.
    ///
    /// Such a session ends the process when it is asked for one more, even to follow a redirect.
    fileprivate var takingTasks: URLSession {
        guard Reflection.property("invalidated", of: self) as? Bool == true else { return self }
        return URLSession(
            configuration: configuration, delegate: delegate, delegateQueue: delegateQueue)
    }
}

extension DataTransfer {
    // The system forgets the body on a 307 and 308, sends no cookies that the redirect set when a
    // task has a delegate, and resolves a relative location at the root. So it is told not to
    // follow, and what it would have followed is loaded as a request of its own.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
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
            if !session.canCancelTasks { completionHandler(nil) }
            return
        }

        let answer = (body, response as URLResponse)
        guard let next = Redirect.request(after: response, to: chain.current ?? request) else {
            finish(.success(answer))
            return
        }
        guard chain.count <= Redirect.limit else {
            finish(.failure(URLError(.httpTooManyRedirects)))
            return
        }
        let follow: @Sendable (URLRequest?) -> Void = { next in
            if let next {
                self.load(next, in: session.takingTasks)
            } else {
                self.finish(.success(answer))
            }
        }
        guard let delegate = session.delegate as? any URLSessionTaskDelegate else {
            return follow(next)
        }
        delegate.urlSession(
            session, task: task, willPerformHTTPRedirection: response, newRequest: next,
            completionHandler: follow)
    }

    // A challenge that nobody has a credential for is never answered by Swift 6.3.1 and earlier
    // (https://github.com/swiftlang/swift-corelibs-foundation/pull/5457), and one for a digest ends
    // the process. The 401 that holds the challenge is the answer in both cases.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
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
                // A cancelled task may be taken apart while its body is looked for.
                var body = Data()
                self.ifWaiting { body = task.loadedBody }
                if let response = challenge.failureResponse {
                    self.finish(.success((body, response)))
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

extension URLSessionTask {
    /// The body that came with a redirect, which the system hands to nobody.
    fileprivate var redirectBody: Data {
        urlProtocol.flatMap { Reflection.property("lastRedirectBody", of: $0) } as? Data ?? Data()
    }

    /// The body that has arrived, which the system hands to nobody while a challenge is open.
    fileprivate var loadedBody: Data {
        guard let properties = urlProtocol.flatMap({ Reflection.property("properties", of: $0) })
        else {
            return Data()
        }
        for entry in Mirror(reflecting: properties).children {
            let pair = Mirror(reflecting: entry.value).children.map(\.value)
            if pair.count == 2, "\(pair[0])".hasSuffix("responseData"), let data = pair[1] as? Data
            {
                return data
            }
        }
        return Data()
    }

    /// The object that does the loading.
    private var urlProtocol: Any? {
        Reflection.property("_protocolStorage", of: self).flatMap {
            Mirror(reflecting: $0).children.first?.value
        }
    }
}

#else

extension URLSession {
    /// Whether a running task may be cancelled.
    var canCancelTasks: Bool { true }
}

extension DataTransfer {
    // The system follows redirects well, but it takes the header fields of the request along.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        var request = request
        request.removeCredentials(ifLeavingOriginOf: response.url)
        // A task's own delegate hides the session's, whose method is optional here.
        let delegate = session.delegate as? any URLSessionTaskDelegate
        let asked: Void? = delegate?.urlSession?(
            session, task: task, willPerformHTTPRedirection: response, newRequest: request,
            completionHandler: completionHandler)
        if asked == nil { completionHandler(request) }
    }
}

#endif
