import Foundation

/// A client that sends requests through interceptors and a transport.
///
/// A client is a value without state, so any number of tasks can use it at once. To vary a client,
/// change a copy. Interceptors run in the order of their array, the first outermost. Put the
/// package's interceptors in this order: ``Deadline``, ``Retry``, ``BearerAuthentication``,
/// ``Coalescing``, ``ETagCache``, ``ConcurrencyLimit``. Put a ``RequestAdapter`` before the
/// interceptors that must see its change.
///
/// ```swift
/// let client = APIClient(baseURL: URL(string: "https://api.example.com/v1"))
/// let dogs = try await client.load(DogsRequest(), with: "akita")
/// ```
public struct APIClient: Sendable {
    /// The URL to which the client appends relative URLs, with or without a slash at its end.
    ///
    /// It needs a scheme and a host. Its query items precede the query items of the relative URL.
    public var baseURL: URL?

    /// The header fields that the client adds to requests, unless a request sets them.
    ///
    /// Their names are case-insensitive.
    public var headers: [String: String]

    /// The transport that sends the requests.
    public var transport: any HTTPTransport {
        didSet { sender = transport.prepared }
    }

    /// The transport as the calls use it.
    private(set) var sender: any HTTPTransport

    /// The interceptors of each call, outermost first.
    public var interceptors: [any APIInterceptor]

    /// The closure that returns the observers of a call.
    public var observers: @Sendable (APICall) -> [any APIObserver]

    /// The largest body that a load or an upload returns, in bytes after decompression.
    ///
    /// A larger body ends the call with an ``APIError`` of kind ``APIError/Kind/bodyTooLarge(limit:)``,
    /// which ``Retry`` never repeats. Load it with ``download(_:with:to:progress:)`` or
    /// ``stream(_:with:)``, which have no limit, or set a higher one, such as `.max`. A negative limit
    /// counts as zero. The body of an error response ends after 1,000,000 bytes, also with a
    /// higher limit.
    ///
    /// A `URLSession` and a mock server stop at the limit. With any other transport, the client checks
    /// the body that ``HTTPTransport/send(_:)`` returns, so limit the memory in the transport.
    public var maxBodyBytes = 64_000_000

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - baseURL: The URL to which the client appends relative URLs.
    ///   - headers: The header fields that the client adds to every request that does not set them.
    ///     Requests with an absolute URL receive them too. If there is a base URL, fields that
    ///     ``Redaction/secrets`` masks, such as `Authorization`, go only to its origin.
    ///   - transport: The transport that sends the requests.
    ///   - interceptors: The interceptors of each call, outermost first.
    ///   - observers: The closure that returns the observers of a call.
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
        sender = transport.prepared
        self.interceptors = interceptors
        self.observers = observers
    }

    /// Returns the header fields for a request to a URL, without credentials for another origin.
    func headers(for url: URL?) -> [String: String] {
        guard let baseURL, !headers.isEmpty, Origin(url) != Origin(baseURL) else { return headers }
        return headers.filter { !Redaction.hides(header: $0.key, $0.value) }
    }

    /// Returns a copy with another interceptor, inside the others.
    ///
    /// ```swift
    /// let signedIn = client.adding(BearerAuthentication(tokens))
    /// ```
    ///
    /// The copy has the same instances of the other interceptors, so both clients share their state. At
    /// another place, insert the interceptor into ``interceptors``.
    public func adding(_ interceptor: any APIInterceptor) -> APIClient {
        var client = self
        client.interceptors.append(interceptor)
        return client
    }

    /// Returns a copy without the interceptors of a type, for calls that must not use them.
    ///
    /// ```swift
    /// let dogs = try await client.without(Retry.self).load(DogsRequest(), with: "akita")
    /// ```
    ///
    /// The copy has the same instances of the other interceptors, so both clients share their
    /// state.
    public func without<Interceptor: APIInterceptor>(_ type: Interceptor.Type) -> APIClient {
        var client = self
        client.interceptors.removeAll { $0 is Interceptor }
        return client
    }
}

extension APIClient: DumpsWithoutSecrets {
    package var dumped: KeyValuePairs<String, Any> {
        [
            "baseURL": baseURL.map(Redaction.masked(_:)) ?? "none",
            "headers": Redaction.masked(headers),
            "transport": "\(type(of: transport))",
            "interceptors": interceptors.map { "\(type(of: $0))" },
        ]
    }
}
