import APIKit
import Foundation

#if canImport(FoundationNetworking)

extension URLSessionTask {
    /// The session that made the task.
    var loadingSession: URLSession? { Reflection.property("session", of: self) as? URLSession }

    /// Asks the task's delegate, then the session's, whether to follow a redirect.
    ///
    /// - Parameters:
    ///   - response: The redirect.
    ///   - request: The request that follows it.
    ///   - session: The session, if the mock server made it.
    ///   - decide: Receives the request to make, or `nil` to keep the redirect as the response.
    func askDelegates(
        after response: HTTPURLResponse, toFollow request: URLRequest, in session: URLSession?,
        decide: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // A session made from a copy of the configuration is another one.
        guard let session = loadingSession ?? session,
            let delegate = delegate ?? session.delegate as? any URLSessionTaskDelegate
        else { return decide(request) }
        session.delegateQueue.addOperation {
            // corelibs implements the method for every delegate, and forwards it to the session's.
            delegate.urlSession(
                session, task: self, willPerformHTTPRedirection: response, newRequest: request,
                completionHandler: decide)
        }
    }
}

#endif
