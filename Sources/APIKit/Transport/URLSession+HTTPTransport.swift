import Foundation

extension URLSession: HTTPTransport {
    /// Sends a request with a data task.
    ///
    /// Canceling the calling task throws `CancellationError` and closes the connection.
    ///
    /// A redirect to another origin is followed without credentials, as described at
    /// ``RedirectPolicy/follow``. The session's delegate decides last, so credentials that it sets
    /// are sent.
    ///
    /// On Linux another session loads the request. It has the same protocols, cookies and timeouts,
    /// but does not use the `URLCache` of this session. Use ``ETagCache`` instead. The delegate of this
    /// session decides about redirects and challenges, and receives no other events. Invalidating this
    /// session has its usual effect on the task.
    ///
    /// - Throws: A `URLError`, or `CancellationError`.
    public func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try await URLSessionTransport(session: self).send(request)
    }

    /// Sends a request with a data task, and returns the body as it arrives.
    ///
    /// The session's delegate does not receive the body or the completion of the task.
    ///
    /// - Throws: The same errors as ``send(_:)``.
    public func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        try await URLSessionTransport(session: self).stream(request)
    }

    /// Sends a request with a body from memory, or from a file that is read in chunks.
    ///
    /// A form with files is first written to a temporary file, so that the request states its size.
    ///
    /// - Throws: The same errors as ``send(_:)``, and an ``APIError`` of kind
    ///   ``APIError/Kind/file(_:)`` for a file that cannot be read.
    public func upload(
        _ request: URLRequest,
        from body: HTTPBody,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> (Data, URLResponse) {
        try await URLSessionTransport(session: self)
            .upload(request, from: body, progress: progress)
    }

    /// Returns the additional header fields of the session and the cookies of its storage.
    public func addedFields(for request: URLRequest) -> [String: String]? {
        URLSessionTransport(session: self).addedFields(for: request)
    }

    /// Returns a transport over this session with a redirect policy.
    ///
    /// ```swift
    /// let client = APIClient(baseURL: url, transport: URLSession.shared.redirecting(.sameOrigin))
    /// ```
    public func redirecting(_ policy: RedirectPolicy) -> some HTTPTransport {
        URLSessionTransport(session: self, redirects: policy)
    }
}
