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
    /// body. If the request type refuses the head, ``APIRequest/parseRefusal(_:)`` and the error
    /// have the first 64 KiB of the body.
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
    /// - Throws: The same errors as ``load(_:with:)``, except those of `parseResponse`. The stream
    ///   throws an ``APIError`` if the connection is lost.
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

extension CallRun {
    /// Returns the body as it arrives, and ends the call when the stream ends.
    func stream() async throws -> APIResponse<ByteStream> {
        do {
            let response = try await intercepted { [self] in
                try await attempt(streaming: $0.request)
            }
            guard accepts(response.http) else { try refuse(await response.startOfBody()) }
            // Releasing the stream ends it, so the handler must not retain the stream.
            let head = response.map { _ in }
            response.value.onEnd { [observers] error in
                for observer in observers {
                    if let error {
                        observer.callFailed(with: error)
                    } else {
                        observer.callSucceeded(with: head)
                    }
                }
            }
            return response
        } catch {
            for observer in observers { observer.callFailed(with: error) }
            throw error
        }
    }

    /// Sends the request of one attempt, and returns the body as it arrives.
    func attempt(streaming request: URLRequest) async throws -> APIResponse<ByteStream> {
        let response = try await attempt(request, by: client.transport.stream) { _ in }
        let http = response.http
        let reading = StreamReading(response.value.reading) { [self] in failure($0, after: http) }
        let context = ByteStream.Context(
            request: call.request, http: http, decoder: call.apiRequest.decoder)
        return response.map { _ in ByteStream(reading: reading, context: context) }
    }
}
