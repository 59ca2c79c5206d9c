import Foundation

#if canImport(FoundationNetworking)

extension URLRequest {
    /// The flags that select the network and the cookies of the request.
    var networkFlags: [Bool] { [allowsCellularAccess, httpShouldHandleCookies] }
}

extension URLSessionTask {
    // On Linux every delegate implements the methods of its protocol: corelibs' default
    // implementation forwards to the session's delegate.

    /// Asks the first delegate whether to follow a redirect.
    ///
    /// Call it on the delegate queue of the session. `decide` receives the request to send, or `nil`
    /// if the redirect is the response.
    package func ask(
        _ delegates: [(any URLSessionTaskDelegate)?], of session: URLSession,
        toFollow request: URLRequest, after response: HTTPURLResponse,
        decide: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let delegate = delegates.compactMap(\.self).first else { return decide(request) }
        delegate.urlSession(
            session, task: self, willPerformHTTPRedirection: response, newRequest: request,
            completionHandler: decide)
    }

    /// Reports a step of sending the body to the first delegate.
    ///
    /// Call it on the delegate queue of the session.
    package func report(
        bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64,
        to delegates: [(any URLSessionTaskDelegate)?], of session: URLSession
    ) {
        delegates.compactMap(\.self).first?.urlSession(
            session, task: self, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend)
    }
}

#endif
