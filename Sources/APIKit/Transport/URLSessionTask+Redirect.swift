import Foundation

extension URLSessionTask {
    /// Asks the first delegate that implements the method whether to follow a redirect.
    ///
    /// Call it on the delegate queue of the session.
    ///
    /// - Parameters:
    ///   - delegates: The delegates, in order of precedence.
    ///   - session: The session that the delegate receives.
    ///   - request: The request that follows the redirect.
    ///   - response: The redirect.
    ///   - decide: Receives the request to send, or `nil` if the redirect is the response.
    package func ask(
        _ delegates: [(any URLSessionTaskDelegate)?], of session: URLSession,
        toFollow request: URLRequest, after response: HTTPURLResponse,
        decide: @escaping @Sendable (URLRequest?) -> Void
    ) {
        for case let delegate? in delegates {
            let asked: Void? = delegate.urlSession?(
                session, task: self, willPerformHTTPRedirection: response, newRequest: request,
                completionHandler: decide)
            if asked != nil { return }
        }
        decide(request)
    }
}
