import Foundation

#if !canImport(FoundationNetworking) || APIKIT_APPLE_LOADER

extension URLSessionTransport {
    /// Sends a request with the system's own async functions.
    func send(
        _ request: URLRequest, uploading upload: Upload?
    ) async throws -> (Data, URLResponse) {
        try Task.checkCancellation()
        let delegate = TaskDelegate(for: request, upload, of: self)
        do {
            switch upload?.source {
            case nil:
                return try await session.data(for: request, delegate: delegate)
            case .data(let data)?:
                return try await session.upload(for: request, from: data, delegate: delegate)
            case .file(let url, _)?:
                return try await session.upload(for: request, fromFile: url, delegate: delegate)
            }
        } catch {
            throw error.ofTask
        }
    }

    func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        try Task.checkCancellation()
        let delegate = StreamDelegate(for: request, of: self)
        let task = session.dataTask(with: request)
        task.delegate = delegate
        do {
            return try await delegate.stream(task)
        } catch {
            throw error.ofTask
        }
    }
}

/// The user info key under which a mock passes an error through a URL session.
///
/// A session rebuilds the error of a URL protocol from its domain, code and user info.
package let carriedErrorKey = "APIKit.carriedError"

extension Error {
    /// The error that a mock has passed through the session, or this error.
    var unwrapped: any Error {
        (self as NSError).userInfo[carriedErrorKey] as? any Error ?? self
    }

    /// The error to throw for the task: `CancellationError` if the calling task is canceled.
    fileprivate var ofTask: any Error {
        let isCancellation = Task.isCancelled && (self as? URLError)?.code == .cancelled
        return isCancellation ? CancellationError() : unwrapped
    }
}

#endif

#if !canImport(FoundationNetworking)

extension URLRequest {
    /// The flags that select the network and the cookies of the request.
    var networkFlags: [Bool] {
        [
            allowsCellularAccess, allowsExpensiveNetworkAccess, allowsConstrainedNetworkAccess,
            httpShouldHandleCookies, assumesHTTP3Capable,
        ]
    }
}

extension URLSessionTask {
    /// Returns whether a delegate may receive the progress of sending the body.
    package func reportsProgress(in session: URLSession?) -> Bool {
        (delegate as? TaskDelegate)?.reportsProgress
            ?? (delegate != nil || session?.delegate != nil)
    }

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

#endif
