import Foundation

extension URLSession: HTTPTransport {
    /// Sends a request with a data task.
    ///
    /// Cancelling the calling task throws `CancellationError` and closes the connection.
    ///
    /// A redirect to another origin is followed without credentials, as described at
    /// ``RedirectPolicy/follow``; the session's delegate has the last word. Credentials that the
    /// delegate sets itself are sent.
    ///
    /// On Linux the request is a task of another session, which has the same protocols, cookies and
    /// timeouts, and no cache: it neither reads nor fills the `URLCache` of this one. Use
    /// ``ETagCache`` instead. The delegate of this session decides about redirects and challenges,
    /// and receives no other events. Invalidating this session has its usual effect on the task.
    ///
    /// - Throws: A `URLError`, or `CancellationError`.
    public func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try await transport.send(request)
    }

    /// Sends a request with a data task, and returns the body as it arrives.
    ///
    /// The delegate of the session receives neither the body nor the end of the task.
    ///
    /// - Throws: The same errors as ``send(_:)``.
    public func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        try await transport.stream(request)
    }

    /// Sends a request with an upload task, from memory or from a file that is read piece by piece.
    ///
    /// A form with files is written to a temporary file first, so that its size is known to the
    /// server.
    ///
    /// - Throws: The same errors as ``send(_:)``, and an ``APIError`` of kind
    ///   ``APIError/Kind/file(_:)`` for a file that cannot be read.
    public func upload(
        _ request: URLRequest,
        from body: HTTPBody,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> (Data, URLResponse) {
        try await transport.upload(request, from: body, progress: progress)
    }

    /// Returns a transport over this session that follows only some redirects, or none.
    ///
    /// ```swift
    /// let client = APIClient(baseURL: url, transport: URLSession.shared.redirecting(.sameOrigin))
    /// ```
    public func redirecting(_ policy: RedirectPolicy) -> some HTTPTransport {
        URLSessionTransport(session: self, redirects: policy)
    }

    private var transport: URLSessionTransport {
        URLSessionTransport(session: self, redirects: .follow)
    }
}
