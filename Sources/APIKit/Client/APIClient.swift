import Foundation

/// A client: where requests go, and what happens to them on the way.
///
/// A client is a value without state of its own, so one serves any number of tasks at once, and a
/// variation is a changed copy. Interceptors run in the order of their array, the first outermost.
/// Those that come with the package belong in this order: ``Deadline``, ``Retry``,
/// ``BearerAuthentication``, ``Coalescing``, ``ETagCache``, ``ConcurrencyLimit``; a
/// ``RequestAdapter`` goes outside of whatever has to see its change.
///
/// ```swift
/// let client = APIClient(baseURL: URL(string: "https://api.example.com/v1"))
/// let dogs = try await client.load(DogsRequest(), with: "akita")
/// ```
public struct APIClient: Sendable {
    /// The URL that relative requests go below, whatever slashes either has.
    public var baseURL: URL?

    /// The headers of every request that does not have them itself, names in any case.
    public var headers: [String: String]

    /// What sends the requests.
    public var transport: any HTTPTransport

    /// What happens around each call, outermost first.
    public var interceptors: [any APIInterceptor]

    /// Makes the observers of a call.
    public var observers: @Sendable (APICall) -> [any APIObserver]

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that relative requests go below.
    ///   - headers: The headers of every request that does not have them itself. They also go to
    ///     the hosts of requests with absolute URLs.
    ///   - transport: What sends the requests.
    ///   - interceptors: What happens around each call, outermost first.
    ///   - observers: Makes the observers of a call.
    public init(
        baseURL: URL? = nil,
        headers: [String: String] = [:],
        transport: any HTTPTransport = URLSession.shared,
        interceptors: [any APIInterceptor] = [],
        observers: @escaping @Sendable (APICall) -> [any APIObserver] = { _ in [] }
    ) {
        self.baseURL = baseURL
        self.headers = headers
        self.transport = transport
        self.interceptors = interceptors
        self.observers = observers
    }

    /// Loads the output of a request for an input.
    ///
    /// - Parameters:
    ///   - request: The request type.
    ///   - input: The input to make the request from.
    /// - Returns: The parsed output.
    /// - Throws: An ``APIError``; `CancellationError` if the task was cancelled, or its request was
    ///   by the session, as when a delegate refuses a challenge; or what the request type or an
    ///   interceptor of yours threw.
    public func load<Request: APIRequest>(
        _ request: Request,
        with input: Request.RequestDataType
    ) async throws -> Request.ResponseDataType {
        try await response(to: request, with: input).value
    }

    /// Loads the output of a request that needs no input.
    public func load<Request: APIRequest>(
        _ request: Request
    ) async throws -> Request.ResponseDataType where Request.RequestDataType == Void {
        try await load(request, with: ())
    }

    /// Loads the output of a request together with the head of its response.
    ///
    /// - Throws: The same errors as ``load(_:with:)``.
    public func response<Request: APIRequest>(
        to request: Request,
        with input: Request.RequestDataType
    ) async throws -> APIResponse<Request.ResponseDataType> {
        try await response(to: makeCall(of: request, with: input), by: request)
    }

    /// Loads the output of a call that has been made already.
    func response<Request: APIRequest>(
        to call: APICall,
        by request: Request
    ) async throws -> APIResponse<Request.ResponseDataType> {
        try await response(to: call, by: request, transmit: transport.send)
    }

    /// Loads the output of a call by one way of sending its requests.
    func response<Request: APIRequest>(
        to call: APICall,
        by request: Request,
        transmit: @escaping @Sendable (URLRequest) async throws -> (Data, URLResponse)
    ) async throws -> APIResponse<Request.ResponseDataType> {
        try await observe(call) { observers in
            let response = try await send(call, observers: observers) { sent, attempt in
                attempt.sent(sent.request)
                let response = try await call.response { try await transmit(sent.request) }
                attempt.received(response)
                return response
            }
            return try parse(response, of: call, by: request)
        }
    }

    /// Loads the output of a request that needs no input, together with the head of its response.
    ///
    /// - Throws: The same errors as ``load(_:with:)``.
    public func response<Request: APIRequest>(
        to request: Request
    ) async throws -> APIResponse<Request.ResponseDataType>
    where Request.RequestDataType == Void {
        try await response(to: request, with: ())
    }

    private func parse<Request: APIRequest>(
        _ response: APIResponse<Data>,
        of call: APICall,
        by request: Request
    ) throws -> APIResponse<Request.ResponseDataType> {
        guard request.accepts(response.http) else {
            throw call.refusal(response.http, body: response.value)
        }
        do {
            return APIResponse(value: try request.parseResponse(response), http: response.http)
        } catch let cause as DecodingError {
            throw APIError(
                .decoding, request: call.request, response: response.http, body: response.value,
                underlying: cause)
        }
    }
}
