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

extension URLSession {
    /// Returns a task that sends a file of a size that is known.
    ///
    /// While the system reads a file by itself it pauses the transfer again and again. When the task
    /// is cancelled or refused meanwhile, it resumes what is gone, and ends the process with
    /// "libcurl.Easy Code=43". A stream is read without a pause.
    func uploadTask(with request: URLRequest, from file: URL, size: Int) -> URLSessionTask {
        guard loadsItself(request) else { return uploadTask(with: request, fromFile: file) }
        var request = request
        request.httpBodyStream = FileStream(file, size: size)
        request.setValue("\(size)", forHTTPHeaderField: "Content-Length")
        // A stream is sent in chunks, and as a form, unless there are headers that say otherwise.
        // One without a value is not sent (https://curl.se/libcurl/c/CURLOPT_HTTPHEADER.html).
        for name in ["Transfer-Encoding", "Content-Type"]
        where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(" ", forHTTPHeaderField: name)
        }
        return dataTask(with: request)
    }

    /// Whether the system loads a request, and no protocol that a test or an app brought along.
    private func loadsItself(_ request: URLRequest) -> Bool {
        let loaders = (configuration.protocolClasses ?? []).compactMap { $0 as? URLProtocol.Type }
        return loaders.first { $0.canInit(with: request) }.map { "\($0)" } == "_HTTPURLProtocol"
    }
}

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

extension Error {
    /// The error as it is on every platform.
    ///
    /// A connection that breaks in the middle of a body is nothing that the system has a code for,
    /// and it says so in many words. After the head there is nothing else that has none.
    func asOnEveryPlatform(hasHead: Bool = false) -> any Error {
        guard let error = self as? URLError, error.errorUserInfo[NSUnderlyingErrorKey] != nil,
            let text = error.errorUserInfo[NSLocalizedDescriptionKey] as? String,
            hasHead && error.code == .unknown
                || brokenConnections.contains(where: text.hasPrefix)
        else { return self }
        return URLError(.networkConnectionLost, userInfo: error.errorUserInfo)
    }
}

private let brokenConnections = [
    "transfer closed with", "Transferred a partial file", "Recv failure",
    "Failure when receiving data from the peer", "Empty reply from server",
]

extension URLSessionTask {
    /// Whether a protocol that a test or an app brought along loads the task, and not the system.
    ///
    /// Such a protocol follows redirects as it is told to, bodies and all.
    fileprivate var isLoadedElsewhere: Bool {
        urlProtocol.map { Reflection.property("easyHandle", of: $0) == nil } ?? false
    }

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

    /// Returns a task that sends a file, whose size the system finds out by itself.
    func uploadTask(with request: URLRequest, from file: URL, size: Int) -> URLSessionTask {
        uploadTask(with: request, fromFile: file)
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
