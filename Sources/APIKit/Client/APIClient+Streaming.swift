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
        try await stream(makeCall(of: request, with: input), accepting: request.accepts)
    }

    /// Sends a call that has been made already, and returns the body of the response as it arrives.
    func stream(
        _ call: APICall, accepting accepts: (HTTPURLResponse) -> Bool
    ) async throws -> APIResponse<ByteStream> {
        let observers = observers(call)
        for observer in observers { observer.callStarted() }
        do {
            let response = try await send(call, observers: observers) { [transport] in
                try await transport.stream($0.request, of: call, as: $1)
            }
            guard accepts(response.http) else {
                let body = try await response.value.data(upTo: APICall.refusalLimit)
                throw call.refusal(response.http, body: body)
            }
            // Without the body, which would keep itself: a stream that is dropped has to end.
            let head = response.map { _ in }
            response.value.onEnd { error in
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

    /// Sends a request that needs no input, and returns the body of the response as it arrives.
    ///
    /// - Throws: The same errors as ``stream(_:with:)``.
    public func stream<Request: APIRequest>(
        _ request: Request
    ) async throws -> APIResponse<ByteStream> where Request.RequestDataType == Void {
        try await stream(request, with: ())
    }
}

extension HTTPTransport {
    /// Sends one attempt of a call, and gives the errors of its stream their one shape as well.
    func stream(
        _ request: URLRequest, of call: APICall, as attempt: Attempt
    ) async throws -> APIResponse<ByteStream> {
        attempt.sent(request)
        let response = try await call.response { try await stream(request) }
        attempt.received(response.map { _ in })
        return response.map { $0.body(of: response.http, to: call) }
    }
}

extension ByteStream {
    /// Returns the stream as the body of the response to a call, which its errors name.
    fileprivate func body(of http: HTTPURLResponse, to call: APICall) -> ByteStream {
        ByteStream(
            reading: StreamReading(ResponseSource(reading: reading, call: call, http: http)),
            context: Context(request: call.request, http: http, decoder: call.apiRequest.decoder))
    }
}

/// The body of the response to a call.
private struct ResponseSource: ByteSource {
    let reading: StreamReading
    let call: APICall
    let http: HTTPURLResponse

    func next() async throws -> Data? {
        do {
            return try await reading.next()
        } catch {
            throw call.failure(error, after: http)
        }
    }

    func cancel() {
        reading.end(.failure(CancellationError()))
    }
}
