import Foundation

extension URLSessionTask {
    /// Asks the first delegate that implements the method whether to follow a redirect.
    ///
    /// Call it on the delegate queue of the session. `decide` receives the request to send, or `nil`
    /// if the redirect is the response.
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

    /// Reports a step of sending the body to the first delegate that implements the method.
    ///
    /// Call it on the delegate queue of the session.
    package func report(
        bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64,
        to delegates: [(any URLSessionTaskDelegate)?], of session: URLSession
    ) {
        for case let delegate? in delegates {
            let reported: Void? = delegate.urlSession?(
                session, task: self, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
                totalBytesExpectedToSend: totalBytesExpectedToSend)
            if reported != nil { return }
        }
    }
}
