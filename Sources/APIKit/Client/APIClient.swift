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

    /// Loads the output of a request that needs no input.
    public func load<Request: APIRequest>(
        _ request: Request
    ) async throws -> Request.ResponseDataType where Request.RequestDataType == Void {
        try await load(request, with: ())
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

    /// Returns a copy without the interceptors of a type, as for a call that needs none of them.
    ///
    /// ```swift
    /// let dogs = try await client.without(Retry.self).load(DogsRequest(), with: "akita")
    /// ```
    ///
    /// The copy has the same instances of the other interceptors, and shares their state.
    public func without<Interceptor: APIInterceptor>(_ type: Interceptor.Type) -> APIClient {
        var client = self
        client.interceptors.removeAll { $0 is Interceptor }
        return client
    }
}
