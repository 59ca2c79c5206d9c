import Foundation

extension APIClient {
    /// Sends a request, and returns the body of the response as it arrives.
    ///
    /// ```swift
    /// let response = try await client.stream(AskRequest(), with: question)
    /// for try await line in response.value.lines { print(line) }
    /// ```
    ///
    /// The function returns when the request type accepts the response head, and does not parse the
    /// body. If the request type does not accept the head, ``APIRequest/parseError(_:)`` and the error
    /// receive the body as for a load.
    ///
    /// The interceptors return before the body arrives. A ``Deadline`` still ends the stream, and
    /// the stream counts toward a ``ConcurrencyLimit`` until it ends. ``Retry`` does not retry
    /// after the head has arrived.
    ///
    /// For the observers, the call ends when the stream ends. It succeeds if the stream is read to
    /// its end. Otherwise it fails with the error of the stream, which is `CancellationError` if
    /// the reader stops early. The observers do not receive the body.
    ///
    /// - Parameters:
    ///   - request: The request type.
    ///   - input: The input to make the request from.
    /// - Returns: The response head, and the body, which can be read once.
    /// - Throws: The same errors as ``load(_:with:)``, except the errors of `parseResponse`. The
    ///   stream throws an ``APIError`` if the connection is lost.
    public func stream<Request: APIRequest>(
        _ request: Request,
        with input: Request.RequestDataType
    ) async throws -> APIResponse<ByteStream> {
        try await CallRun(of: request, with: input, by: self).stream()
    }

    /// Sends a request that needs no input, and returns the body of the response as it arrives.
    ///
    /// - Throws: The same errors as ``stream(_:with:)``.
    public func stream<Request: APIRequest>(
        _ request: Request
    ) async throws -> APIResponse<ByteStream> where Request.RequestDataType == Void {
        try await stream(request, with: ())
    }
}
