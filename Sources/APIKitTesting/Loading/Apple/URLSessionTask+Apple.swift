import Foundation

#if !canImport(FoundationNetworking)

extension URLSessionTask {
    /// Asks the task's delegate, then the session's, whether to follow a redirect.
    ///
    /// - Parameters:
    ///   - response: The redirect.
    ///   - request: The request that follows it.
    ///   - session: The session, if the mock server made it. A task does not reveal its session.
    ///   - decide: Receives the request to make, or `nil` to keep the redirect as the response.
    func askDelegates(
        after response: HTTPURLResponse, toFollow request: URLRequest, in session: URLSession?,
        decide: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let session = session ?? standIn
        let delegates = [delegate, session.delegate as? any URLSessionTaskDelegate]
        session.delegateQueue.addOperation {
            for case let delegate? in delegates {
                let asked: Void? = delegate.urlSession?(
                    session, task: self, willPerformHTTPRedirection: response, newRequest: request,
                    completionHandler: decide)
                if asked != nil { return }
            }
            decide(request)
        }
    }
}

// The session that a delegate receives if the task's own is unknown. It loads nothing.
private let standIn = URLSession(configuration: .ephemeral)

#endif
