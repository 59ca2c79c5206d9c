import Foundation

extension APIClient {
    /// Returns the final request of a call without sending it, for another loader.
    ///
    /// Use it for an upload in the background, a WebSocket, a media player or a loader of images. The
    /// request has an absolute URL, the header fields of the client, and the changes of the
    /// interceptors, such as a token. The observers receive nothing.
    ///
    /// The interceptors run as for a call that is canceled just before it is sent. So a ``Deadline``,
    /// ``BearerAuthentication`` and ``ConcurrencyLimit`` may throw or wait as usual, and ``Retry``,
    /// ``Coalescing`` and ``ETagCache`` have no effect. No interceptor sees the response of the other
    /// loader: a 401 refreshes no token.
    ///
    /// - Parameters:
    ///   - request: The request type.
    ///   - input: The input to make the request from.
    /// - Returns: The request, whose header fields may contain secrets.
    /// - Throws: The error of the request type or of an interceptor, or `CancellationError`.
    public func request<Request: APIRequest>(
        for request: Request,
        with input: Request.RequestDataType
    ) async throws -> URLRequest {
        try await CallRun(of: request, with: input, by: self).finalRequest()
    }

    /// Returns the final request of a call that needs no input, without sending it.
    ///
    /// - Throws: The same errors as ``request(for:with:)``.
    public func request<Request: APIRequest>(
        for request: Request
    ) async throws -> URLRequest where Request.RequestDataType == Void {
        try await self.request(for: request, with: ())
    }
}
