import Foundation

#if canImport(FoundationNetworking) && APIKIT_APPLE_LOADER

/// The methods that are optional on Apple platforms, so that the tests can run that loader here:
/// `delegate.urlSession?(…)`.
struct DelegateMethods {
    let delegate: any URLSessionTaskDelegate

    func callAsFunction(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        delegate.urlSession(
            session, task: task, willPerformHTTPRedirection: response, newRequest: request,
            completionHandler: completionHandler)
    }

    func callAsFunction(
        _ session: URLSession,
        task: URLSessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        delegate.urlSession(
            session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
            totalBytesExpectedToSend: totalBytesExpectedToSend)
    }
}

extension URLSessionTaskDelegate {
    var urlSession: DelegateMethods? { DelegateMethods(delegate: self) }
}

#endif
