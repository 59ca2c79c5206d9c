import Foundation

/// An interceptor that sends a token with each call, and replaces it when the server refuses it.
///
/// The token of a ``TokenProvider`` goes into `Authorization: Bearer …`. A call without a token,
/// because the provider has none, is sent as it is, and so is one that carries `Authorization`
/// already. When the server answers 401, the provider is asked for its token once more, in case it
/// has another by now, and otherwise to refresh it; then the call is sent a second time. A second
/// 401 is the answer, and so is the first where no other token is to be had, or where the body is
/// an `httpBodyStream`, which can be read only once.
///
/// Any number of calls at the same time share one refresh. If it fails, its error is thrown as
/// itself by every call that was sent with the refused token before that, even if its own 401
/// arrives later; a call that starts afterwards tries again. A call that is cancelled leaves at
/// once, and the refresh goes on for the others and for later calls.
///
/// It goes inside of `Retry`, so that an attempt that is made late is made with the token of that
/// time, and outside of ``Coalescing``, so that no call gets an answer to somebody else's token. An
/// instance may be used from any task; the copies of one share its refresh, so keep it in a client
/// that is kept.
///
/// ```swift
/// let client = APIClient(
///     baseURL: URL(string: "https://api.example.com"),
///     interceptors: [BearerAuthentication(tokens, hosts: ["api.example.com"])])
/// ```
public struct BearerAuthentication: APIInterceptor {
    private let provider: any TokenProvider
    private let refresh: TokenRefresh
    private let applies: @Sendable (URL) -> Bool

    /// Creates an interceptor for the calls to certain URLs.
    ///
    /// - Parameters:
    ///   - provider: Where the tokens come from.
    ///   - applies: Tells whether a URL may get the token. By default every URL does, those of
    ///     other hosts among them.
    public init(
        _ provider: any TokenProvider,
        applies: @escaping @Sendable (URL) -> Bool = { _ in true }
    ) {
        self.provider = provider
        self.applies = applies
        refresh = TokenRefresh(provider)
    }

    /// Creates an interceptor for the calls to certain hosts.
    ///
    /// - Parameters:
    ///   - provider: Where the tokens come from.
    ///   - hosts: The whole names of the hosts that may get the token, in any case.
    public init(_ provider: any TokenProvider, hosts: Set<String>) {
        let hosts = Set(hosts.map { $0.lowercased() })
        self.init(provider) { url in url.host.map { hosts.contains($0.lowercased()) } ?? false }
    }

    /// Sends a call with the token, and once more with another if that is refused.
    ///
    /// - Throws: What `next` or the provider threw, `CancellationError`, or an ``APIError`` of kind
    ///   ``APIError/Kind/invalidRequest(_:)`` for a token that would break out of its header.
    public func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body> {
        guard mayAuthorize(call.request), let token = try await provider.token() else {
            return try await next(call)
        }
        let batch = refresh.batch(of: token)
        let response = try await next(call.authorized(with: token))
        guard response.statusCode == 401, call.request.httpBodyStream == nil else {
            return response
        }
        // A stream that nobody reads would keep its place in a limit, which the refresh may need.
        let refusal = try await response.buffered(for: call)
        guard let fresh = try await refresh.token(replacingThatOf: batch) else { return refusal }
        return try await next(call.authorized(with: fresh))
    }

    private func mayAuthorize(_ request: URLRequest) -> Bool {
        guard let url = request.url else { return false }
        return request.value(forHTTPHeaderField: "Authorization") == nil && applies(url)
    }
}

extension BearerAuthentication: CustomStringConvertible, CustomReflectable {
    /// The name of the type, and nothing of a token.
    public var description: String { "BearerAuthentication" }

    /// A mirror that shows nothing of a token either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension APIResponse {
    /// The response with its stream in memory, as much of it as the call has a use for, and its
    /// connection closed.
    fileprivate func buffered(for call: APICall) async throws -> APIResponse {
        guard let stream = value as? ByteStream else { return self }
        let limit = call.apiRequest.accepts(http) ? Int.max : APICall.refusalLimit
        let start = ByteStream(try await stream.data(upTo: limit))
        let buffered = ByteStream(reading: start.reading, context: stream.context) as? Value
        return buffered.map { APIResponse(value: $0, http: http) } ?? self
    }
}

extension APICall {
    fileprivate func authorized(with token: String) throws -> APICall {
        var call = self
        do {
            try call.request.setHeaders(["Authorization": "Bearer \(token)"], replacing: true)
        } catch let error as APIError {
            // Named by the client: other interceptors may have put secrets into this request.
            throw APIError(error.kind)
        }
        return call
    }
}
