import Foundation

extension URLSession: HTTPClient {
    /// Sends a request with a data task.
    ///
    /// Cancelling the calling task throws `CancellationError` at once, and the data task is
    /// cancelled on the side. (With one exception: on Linux the data task of a session with a
    /// `URLCache` is left to end by itself, because the system traps when such a task is cancelled
    /// at the wrong moment. Set `urlCache` to `nil` in the configuration to have it cancelled.)
    ///
    /// A redirect to another origin is followed without `Authorization`, `Cookie` and
    /// `Proxy-Authorization`; the session's delegate still has the last word.
    ///
    /// - Throws: A `URLError`, or `CancellationError`.
    public func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try await transport.send(request)
    }

    /// Sends a request with a data task whose body is handed out as it arrives.
    ///
    /// On Linux it is a task of another session with the same configuration, so with the same
    /// protocols and cookies; the delegate of this session is asked about redirects and challenges,
    /// and of no delegate is anything else told.
    ///
    /// - Throws: The same errors as ``send(_:)``.
    public func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        try await transport.stream(request)
    }

    /// Sends a request with an upload task, from memory or from a file that is read piece by piece.
    ///
    /// A form with files is written to a temporary file first, so that its size is known to the
    /// server. On Linux it is a task of another session, as for ``stream(_:)``.
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
    public func redirecting(_ policy: RedirectPolicy) -> some HTTPClient {
        URLSessionTransport(session: self, redirects: policy)
    }

    private var transport: URLSessionTransport {
        URLSessionTransport(session: self, redirects: .follow)
    }
}
