import Foundation

extension Load {
    /// Follows a redirect with the same task, if the policy and the delegate of the session allow it.
    func redirect(
        _ task: URLSessionTask, after response: HTTPURLResponse, to proposal: URLRequest,
        _ completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard var next = nextRequest(after: response, of: task, to: proposal.url),
            reattachBody(to: &next, proposal)
        else { return completionHandler(nil) }
        askDelegate(toFollow: next, after: response, of: task) { [self] next in
            completionHandler(continueTask(with: next, after: response))
        }
    }

    /// The session's own delegate, whose events the load receives and passes on.
    var sessionDelegate: (any URLSessionTaskDelegate)? {
        session.delegate as? any URLSessionTaskDelegate
    }

    /// Returns the request that follows a redirect, or `nil` if the redirect is the response.
    ///
    /// - Parameters:
    ///   - response: The redirect.
    ///   - task: The task that received it.
    ///   - url: The next URL, or `nil` for the location of the redirect.
    /// - Returns: The request to send, or `nil`.
    func nextRequest(
        after response: HTTPURLResponse, of task: URLSessionTask, to url: URL? = nil
    ) -> URLRequest? {
        let request = state.withLock { $0.task === task ? ($0.request, $0.redirectCount) : nil }
        guard let (request, count) = request else { return nil }
        do {
            return try redirects.request(
                after: response, to: request, at: url, redirectCount: count)
        } catch {
            finish(.failure(error))
            return nil
        }
    }

    /// Asks the delegate of the session whether to follow a redirect.
    ///
    /// `decide` receives the request to send, or `nil` if the redirect is the response.
    func askDelegate(
        toFollow next: URLRequest, after response: HTTPURLResponse, of task: URLSessionTask,
        decide: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let sessionDelegate else { return Self.queue.async { decide(next) } }
        session.delegateQueue.addOperation { [session] in
            task.ask([sessionDelegate], of: session, toFollow: next, after: response) { chosen in
                decide(chosen?.removingCredentials(of: next))
            }
        }
    }

    /// Sets the body of a redirect that keeps it, and returns whether the body can be sent again.
    ///
    /// The system proposes a request without a body. It keeps the body of an upload in the task
    /// (https://github.com/WebKit/WebKit/pull/62982). A mock proposes the body that it has read.
    private func reattachBody(to next: inout URLRequest, _ proposal: URLRequest) -> Bool {
        guard next.method != .get, next.httpBody == nil else { return true }
        if let body = proposal.httpBody {
            next.httpBody = body
        } else if let upload {
            // The system reads a file to its end, beyond the length of one that has grown. A file that
            // cannot be read fails the upload.
            if let size = try? upload.source?.length(), let sent = upload.size, size > sent {
                return false
            }
            upload.attach(to: &next)
        }
        return true
    }

    /// Records and returns the next request of the same task.
    private func continueTask(
        with next: URLRequest?, after response: HTTPURLResponse
    ) -> URLRequest? {
        state.withLock { state in
            guard var next, !state.isOver else { return nil }
            if next.httpBodyStream == nil { next.removeFraming() }
            next.hideCredentials(of: tasks.configuration)
            attempt?.follow(next, after: response, to: state.request)
            state.request = next
            if upload != nil { (state.request.httpBody, state.request.httpBodyStream) = (nil, nil) }
            state.redirectCount += 1
            return next
        }
    }
}
