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
