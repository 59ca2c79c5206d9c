import Foundation

#if canImport(FoundationNetworking)

extension URLRequest {
    /// The flags that select the network and the cookies of the request.
    var networkFlags: [Bool] { [allowsCellularAccess, httpShouldHandleCookies] }
}

extension URLSessionTask {
    /// Returns whether a delegate may use the progress of sending the body.
    ///
    /// On Linux, a task without a delegate returns the delegate of its session.
    package func reportsProgress(in _: URLSession?) -> Bool {
        guard let delegate else { return false }
        return (delegate as? LoadTable)?.reportsProgress(of: self) ?? true
    }
}

/// Allows the syntax `delegate.urlSession?(…)`, as for the optional methods on Apple platforms.
///
/// On Linux every delegate implements these methods: corelibs' default implementation forwards to
/// the session's delegate.
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

#if APIKIT_APPLE_LOADER
/// The async functions that Foundation has on Apple platforms.
///
/// On Linux, the system never asks a task delegate about redirects.
extension URLSession {
    func data(
        for request: URLRequest, delegate: TaskDelegate
    ) async throws -> (Data, URLResponse) {
        try await run(delegate) { dataTask(with: request, completionHandler: $0) }
    }

    func upload(
        for request: URLRequest, from data: Data, delegate: TaskDelegate
    ) async throws -> (Data, URLResponse) {
        try await run(delegate) { uploadTask(with: request, from: data, completionHandler: $0) }
    }

    func upload(
        for request: URLRequest, fromFile file: URL, delegate: TaskDelegate
    ) async throws -> (Data, URLResponse) {
        try await run(delegate) { uploadTask(with: request, fromFile: file, completionHandler: $0) }
    }

    private func run(
        _ delegate: TaskDelegate,
        _ makeTask: (@escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) ->
            URLSessionTask
    ) async throws -> (Data, URLResponse) {
        try await withCheckedThrowingContinuation { continuation in
            let task = makeTask { data, response, error in
                if let response {
                    continuation.resume(returning: (data ?? Data(), response))
                } else {
                    continuation.resume(throwing: error ?? URLError(.badServerResponse))
                }
            }
            task.delegate = delegate
            task.resume()
        }
    }
}
#endif

#endif
