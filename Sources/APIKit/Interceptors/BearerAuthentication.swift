import Foundation

/// An interceptor that sends a token with each call, and replaces it when the server refuses it.
///
/// The token of a ``TokenProvider`` goes into `Authorization: Bearer …`. A request that already
/// carries `Authorization` is left alone, and so is a call for which the provider has no token.
///
/// **Where the token goes.** To the scheme, host and port of the client's base URL, or to the hosts
/// that you name. A request to another URL is sent without it. Over plain http a token goes only to
/// a loopback address: `localhost`, `::1` and 127.0.0.0/8. Any other call that would carry one over
/// http throws an ``APIError`` of kind ``APIError/Kind/invalidRequest(_:)``. So does a call with a
/// token if there is neither a base URL nor a named host. Nothing is sent then.
///
/// **When the server responds with 401**, the provider refreshes the token, and the call is sent a
/// second time. A second 401 is the response. The first 401 is the response if there is no new
/// token, or if the body is an `httpBodyStream`, which can be read only once.
///
/// Any number of calls share one refresh, also those whose 401 arrives after it. If the refresh
/// fails, every call that was sent with the refused token throws its error as itself; a call that
/// starts afterwards tries again. Cancelling a call ends its wait at once, and the refresh continues
/// for the others. A call that starts during a refresh waits for it no longer than the timeout of
/// its request, since that refresh may itself be waiting for the call.
///
/// **A call is never sent under another account.** It keeps its token, also in further attempts of
/// ``Retry``, until a refresh that it shares replaces it. A call that began without a token stays
/// without one. An ``AccountTokenProvider`` names the account of a token; a call then also takes a
/// new token of its account from elsewhere. Otherwise its 401 is the response.
///
/// It goes inside of ``Retry``, so that each attempt takes the newest token, and outside of
/// ``Coalescing``, so that no call shares a response to another token. Any number of tasks may use
/// an instance. Its copies share its refreshes, so keep one instance for a provider.
///
/// ```swift
/// let client = APIClient(
///     baseURL: URL(string: "https://api.example.com"),
///     interceptors: [BearerAuthentication(tokens)])
/// ```
public struct BearerAuthentication: APIInterceptor {
    private let refresh: TokenRefresh
    private let applies: (@Sendable (URL) -> Bool)?

    /// Creates an interceptor for the calls to the origin of the base URL, or to URLs you choose.
    ///
    /// - Parameters:
    ///   - provider: The source of the tokens.
    ///   - applies: Returns whether a URL may get the token. By default, a URL with the scheme, host
    ///     and port of the client's base URL may.
    public init(
        _ provider: any TokenProvider,
        applies: (@Sendable (URL) -> Bool)? = nil
    ) {
        self.applies = applies
        refresh = TokenRefresh(provider)
    }

    /// Creates an interceptor for the calls to certain hosts.
    ///
    /// - Parameters:
    ///   - provider: The source of the tokens.
    ///   - hosts: The whole names of the hosts that may get the token, in any case, at any port.
    public init(_ provider: any TokenProvider, hosts: Set<String>) {
        let hosts = Set(hosts.map { $0.lowercased() })
        self.init(provider) { url in url.host.map { hosts.contains($0.lowercased()) } ?? false }
    }

    /// Sends a call with the token, and once more with a new one if the server refuses it.
    ///
    /// - Throws: What `next` or the provider threw, `CancellationError`, or an ``APIError`` of kind
    ///   ``APIError/Kind/invalidRequest(_:)`` for a URL that no token may go to, or for a token that
    ///   would break out of its header.
    public func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body> {
        guard mayAuthorize(call), let batch = try await refresh.batch(for: call) else {
            return try await next(call)
        }
        try checkDestination(of: call)
        let isRefreshing = batch.isRefreshing.withLock { $0 }
        let response = try await next(call.authorized(by: batch))
        guard response.statusCode == 401, call.request.httpBodyStream == nil else {
            return response
        }
        // A stream that nobody reads would keep its place in a limit, which the refresh may need.
        let refusal = try await response.buffered(for: call)
        let timeout = Duration(clampingSeconds: call.request.timeoutInterval)
        guard
            let fresh = try await refresh.batch(
                replacing: batch, waitingAtMost: isRefreshing ? timeout : nil)
        else { return refusal }
        return try await next(call.authorized(by: fresh))
    }

    private func mayAuthorize(_ call: APICall) -> Bool {
        guard let url = call.request.url,
            call.request.value(forHTTPHeaderField: "Authorization") == nil
        else { return false }
        return applies?(url) ?? call.baseURL.map { Origin($0) == Origin(url) } ?? true
    }

    private func checkDestination(of call: APICall) throws {
        guard applies != nil || call.baseURL != nil else {
            throw APIError(
                .invalidRequest(
                    """
                    its token goes only to the base URL of the client, which has none; give it one, \
                    or name the hosts by BearerAuthentication(_:hosts:)
                    """))
        }
        guard let url = call.request.url, url.scheme?.lowercased() != "https", !url.isLoopback
        else { return }
        throw APIError(
            .invalidRequest(
                """
                a bearer token goes over plain http only to a loopback address; use https for \
                \(url.host ?? "this URL")
                """))
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
        let limit = call.apiRequest.accepts(http) ? Int.max : APIError.bodyLimit
        let start = ByteStream(try await stream.data(upTo: limit))
        let buffered = ByteStream(reading: start.reading, context: stream.context) as? Value
        return buffered.map { APIResponse(value: $0, http: http) } ?? self
    }
}

extension APICall {
    fileprivate func authorized(by batch: TokenBatch) throws -> APICall {
        var call = self
        call.account = batch.credential.account
        do {
            let field = ["Authorization": "Bearer \(batch.credential.token)"]
            try call.request.setHeaders(field, replacing: true)
        } catch let error as APIError {
            // Named by the client: other interceptors may have put secrets into this request.
            throw APIError(error.kind)
        }
        return call
    }
}
