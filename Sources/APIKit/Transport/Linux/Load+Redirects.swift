import Foundation

#if canImport(FoundationNetworking)

extension Load {
    /// Returns the request that follows a redirect, or `nil` if the response is final.
    ///
    /// The load holds the response back until the delegate has decided. If a protocol follows
    /// redirects itself, `proposal` is the request that it would send.
    func proposeRedirect(
        _ proposal: URLRequest?, after response: HTTPURLResponse, of task: URLSessionTask
    ) -> URLRequest? {
        let (next, isTooLong) = state.withLock { state -> (URLRequest?, Bool) in
            guard state.task === task,
                let next = proposal.map({
                    Redirect.checked($0, after: response, to: state.request)
                }) ?? Redirect.request(after: response, to: state.request),
                redirects.allows(next, after: response)
            else { return (nil, false) }
            guard state.redirectCount < Redirect.limit else { return (nil, true) }
            state.isDeciding = true
            return (next, false)
        }
        if isTooLong { finish(.failure(URLError(.httpTooManyRedirects))) }
        return next
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
            load(next)
        } else if let response = previous.response {
            if previous.isComplete { finish(.success(response)) }
            headWaiter.answer(.success(response))
        }
    }
}

extension URLSessionTask {
    /// The body of a redirect without a `Location`, which delegates never receive.
    ///
    /// It is empty if a later version of the system stores the body elsewhere.
    var redirectBody: Data {
        Reflection.property("_protocolStorage", of: self)
            .flatMap { Mirror(reflecting: $0).children.first?.value }
            .flatMap { Reflection.property("lastRedirectBody", of: $0) } as? Data ?? Data()
    }
}

#endif
