import Foundation

extension APIClient {
    /// Sends a request, and returns the body of the response as it arrives.
    ///
    /// ```swift
    /// let answer = try await client.stream(AskRequest(), with: question)
    /// for try await line in answer.value.lines { print(line) }
    /// ```
    ///
    /// It returns once the head of the response is there, and is accepted; the request type does
    /// not parse anything. A refused response is thrown with the first 64 KiB of its body. The
    /// interceptors are done by then, but for what they hold on to while the stream is read: a
    /// ``Deadline`` ends it, and in a ``ConcurrencyLimit`` it keeps its place. ``Retry`` sends
    /// nothing again that had begun to arrive.
    ///
    /// The observers are told of the end of the call when the stream ends: of a success when it was
    /// read to its end, and otherwise of what it was ended by, a `CancellationError` if it was left.
    /// They are not shown the body.
    ///
    /// - Parameters:
    ///   - request: The request type.
    ///   - input: The input to make the request from.
    /// - Returns: The head of the response, and its body to read once.
    /// - Throws: The same errors as ``load(_:with:)``, apart from those of parsing. The stream
    ///   throws an ``APIError`` where the connection breaks.
    public func stream<Request: APIRequest>(
        _ request: Request,
        with input: Request.RequestDataType
    ) async throws -> APIResponse<ByteStream> {
        try await CallRun(of: request, with: input, by: self).stream(accepting: request.accepts)
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
    /// Returns the body as it arrives. The observers receive the end of the call with its end.
    func stream(
        accepting accepts: (HTTPURLResponse) -> Bool
    ) async throws -> APIResponse<ByteStream> {
        do {
            let response = try await intercepted { [self] in try await attempt($0.request) }
            guard accepts(response.http) else {
                let body = try await response.value.data(upTo: APIError.bodyLimit)
                throw refusal(of: response.map { _ in body })
            }
            // The handler must not retain the stream, which ends when it is released.
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
    func attempt(_ request: URLRequest) async throws -> APIResponse<ByteStream> {
        let response = try await attempt(request, by: client.transport.stream) { _ in }
        let http = response.http
        let reading = StreamReading(response.value.reading) { [self] in failure($0, after: http) }
        let context = ByteStream.Context(
            request: call.request, http: http, decoder: call.apiRequest.decoder)
        return response.map { _ in ByteStream(reading: reading, context: context) }
    }
}
