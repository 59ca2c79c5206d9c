import Foundation

/// A transport of canned responses, for previews, demonstrations and UI tests.
///
/// It needs no network and no test framework, so it can be a part of the app. Set a response for each
/// request type and input:
///
/// ```swift
/// let transport = CannedTransport()
///     .reply(
///         to: PupsRequest(), with: "akita", .json([Pup(id: 1, name: "Rex")])
///     )
///     .reply(
///         to: PupsRequest(), with: "boxer", .status(503).delayed(.seconds(2)))
/// ```
///
/// The request types, the interceptors and the observers of the client run as they do with a server. A
/// stream receives the body in one chunk. An upload reports its progress when the response arrives.
///
/// A request without a response fails with an ``APIError`` of kind
/// ``APIError/Kind/invalidRequest(_:)``, which names the request type and the input. So does a request
/// that an ``APIClient`` did not send. No request leaves the device.
///
/// Any number of tasks can use a transport at once, also to set responses while requests wait.
public final class CannedTransport: HTTPTransport {
    private let clock: any Clock<Duration>
    private let replies = Locked<[Reply]>([])

    /// Creates a transport without responses.
    ///
    /// - Parameter clock: The clock that measures delays.
    public init(clock: any Clock<Duration> = ContinuousClock()) {
        self.clock = clock
    }

    /// Sets the response for a request type and an input, in place of an earlier one.
    ///
    /// The transport recognizes an input by its request: two inputs are the same if the request type
    /// makes an equal method, URL and body from both. JSON is compared by its meaning. The transport
    /// does not compare header fields, the body of an upload, or what interceptors change.
    ///
    /// - Parameters:
    ///   - request: The request type.
    ///   - input: The input.
    ///   - response: The response to each request of this type with this input.
    /// - Returns: This transport.
    @discardableResult
    public func reply<Request: APIRequest>(
        to request: Request, with input: Request.RequestDataType, _ response: Response
    ) -> CannedTransport {
        // For an input that makes no request, the client throws the error before it asks a transport.
        if let request = try? request.makeRequest(from: input) {
            let reply = Reply(type: Request.self, request: request, response: response)
            replies.withLock { $0.append(reply) }
        }
        return self
    }

    /// Sets the response for a request type that needs no input, in place of an earlier one.
    @discardableResult
    public func reply<Request: APIRequest>(
        to request: Request, _ response: Response
    ) -> CannedTransport where Request.RequestDataType == Void {
        reply(to: request, with: (), response)
    }

    /// Returns the response that is set for a request of an ``APIClient``, after its delay.
    ///
    /// - Throws: The error of a failure, an ``APIError`` for a request without a response, or
    ///   `CancellationError` as soon as the calling task is canceled.
    public func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try Task.checkCancellation()
        guard let call = CallAttempt.current?.context, let url = request.url else {
            throw APIError(.invalidRequest("a CannedTransport needs an APIClient that sends it"))
        }
        let replies = replies.withLock { $0 }
        guard let response = replies.last(where: { $0.matches(call) })?.response else {
            throw APIError(
                .invalidRequest(
                    """
                    the CannedTransport has no response for \(call.typedInput); set one with \
                    reply(to:with:_:)
                    """))
        }
        return try await response.result(for: url, on: clock)
    }
}

extension CannedTransport {
    /// A response, and what makes the request that it is for.
    private struct Reply {
        let type: any APIRequest.Type
        let request: URLRequest
        let response: Response

        /// Returns whether the call has the same type, method, URL and body.
        func matches(_ call: CallContext) -> Bool {
            guard type == Swift.type(of: call.apiRequest), request.method == call.request.method,
                request.comparedBody == call.request.comparedBody
            else { return false }
            // The URL of a reply may be one that no client can send.
            let url = try? request.url?.below(call.baseURL)
            return url != nil && url == call.request.url
        }
    }
}

extension CallContext {
    /// The request type and the input, such as `DogsRequest with the input "akita"`, on one line and
    /// with secrets masked.
    fileprivate var typedInput: String {
        let type = String(naming: type(of: apiRequest))
        guard !(input is Void) else { return type }
        let text = Redaction.excerpt(of: "\(input)", upTo: 200)
        return "\(type) with the input \(input is String ? "\"\(text)\"" : text)"
    }
}

extension CannedTransport {
    /// A response of a canned transport, or an error in its place.
    public struct Response: Sendable {
        private var status = 200
        private var headers: [String: String] = [:]
        private var body: Result<Data, any Error> = .success(Data())
        /// The delay, or `nil` if the response never arrives.
        private var delay: Duration? = .zero

        /// A response whose body is a value encoded as JSON.
        ///
        /// If the value cannot be encoded, the request fails with an ``APIError`` that names its type.
        public static func json(
            _ value: some Encodable, status: Int = 200, encoder: JSONEncoder = JSONEncoder()
        ) -> Response {
            var response = data(Data(), status: status, contentType: "application/json")
            response.body = Result { try encoder.json(of: value) }
            return response
        }

        /// A response whose body is a JSON text, sent unchanged.
        public static func json(text: String, status: Int = 200) -> Response {
            data(Data(text.utf8), status: status, contentType: "application/json")
        }

        /// A response whose body is data, such as a picture or the text of events.
        public static func data(
            _ data: Data, status: Int = 200, contentType: String = "application/octet-stream"
        ) -> Response {
            Response(status: status, body: .success(data)).header("Content-Type", contentType)
        }

        /// A response with a status and no body.
        public static func status(_ status: Int) -> Response { Response(status: status) }

        /// An error in place of a response, such as `URLError(.notConnectedToInternet)`.
        ///
        /// The client throws an ``APIError`` of kind ``APIError/Kind/transport`` with this error as its
        /// ``APIError/underlying``, and an `APIError` or a `CancellationError` unchanged.
        public static func failure(_ error: any Error) -> Response {
            Response(body: .failure(error))
        }

        /// Neither a response nor an error, until the task is canceled.
        public static let never = Response(delay: nil)

        /// Returns the response with a header field, in place of an earlier one of that name.
        ///
        /// If the name or the value is not valid, the request fails with an ``APIError`` that names the
        /// field.
        public func header(_ name: String, _ value: String) -> Response {
            var response = self
            let earlier = headers.keys.first { $0.lowercased() == name.lowercased() }
            response.headers[earlier ?? name] = value
            return response
        }

        /// Returns the response with a delay, in place of an earlier one.
        ///
        /// A negative delay counts as zero. With a delay, ``never`` still does not end.
        public func delayed(_ delay: Duration) -> Response {
            var response = self
            if response.delay != nil { response.delay = delay }
            return response
        }

        /// Waits, and returns the body and the head, or throws the error.
        fileprivate func result(
            for url: URL, on clock: any Clock<Duration>
        ) async throws -> (Data, URLResponse) {
            guard let delay else { return try await Waiter().wait() }
            if delay > .zero {
                try await clock.sleep(
                    for: delay.bounded,
                    as: .delay { "CannedTransport, response to \(Redaction.masked(url))" })
            }
            let body = try body.get()
            for (name, value) in headers { try URLRequest.check(name, value) }
            let head = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
            guard let head else { throw URLError(.badServerResponse) }
            return (body, head)
        }
    }
}
