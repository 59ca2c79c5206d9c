import Foundation

/// An interceptor that sends a bearer token with each call, and refreshes the token after a 401.
///
/// It sets `Authorization: Bearer …` to the token of a ``TokenProvider``. It does not change a
/// request that already has `Authorization`, or a call for which the provider returns no token.
///
/// **Destination.** The token goes only to the scheme, host and port of the client's base URL, or
/// to the hosts that you name. A request to another URL is sent without the token. Over http, the
/// token goes only to a loopback address, `localhost`, `::1` or 127.0.0.0/8, and to the hosts of
/// ``allowingPlainHTTP(to:)``. Any other call that would send it over http throws an ``APIError`` of
/// kind ``APIError/Kind/invalidRequest(_:)`` before anything is sent. A call with a token throws the
/// same error if the client has no base URL and you name no hosts.
///
/// **Refresh.** After a 401, the provider refreshes the token, and the call is sent a second time.
/// A second 401 is returned. The first 401 is returned if there is no new token, or if the body can be
/// read only once: then the next call has the new token. The 401
/// of another origin, after a redirect, is returned too: that origin has not received the token. After
/// a 301, 302 or 303 to a request that is not idempotent, only the request that followed is sent again.
///
/// All calls that were sent with a token share its refresh, even if their 401 arrives later. If
/// the refresh fails, all of them throw its error unchanged, and a call that starts later tries
/// again. Canceling a call ends its wait at once; the refresh continues for the other calls. A call
/// that starts during a refresh waits for the new token before it is sent, but at most the timeout of
/// its request, because the refresh may itself be waiting for that call.
///
/// **Accounts.** A call is never sent under another account. It keeps its token in all attempts of
/// ``Retry``, until a refresh that it shares replaces the token. A call that starts without a token
/// stays without one. With an ``AccountTokenProvider``, a call also uses a token of its account
/// that the app obtained in another way, such as a new sign-in. With any other provider, the 401 is
/// returned in that case.
///
/// **Order.** Place it inside ``Retry``, so that a further attempt can use a refreshed token, and
/// outside ``Coalescing``, so that only calls with the same token share a response. An instance is
/// safe to use from any task. Its copies share its refreshes, so keep one instance for each
/// provider.
///
/// ```swift
/// let client = APIClient(
///     baseURL: URL(string: "https://api.example.com"),
///     interceptors: [BearerAuthentication(tokens)])
/// ```
public struct BearerAuthentication: APIInterceptor {
    private let refresher: TokenRefresher
    /// The hosts that the token may go to, or `nil` for the origin of the base URL.
    private let hosts: Set<String>?
    private var plainHTTPHosts: Set<String> = []

    /// Creates an interceptor for the origin of the client's base URL, or for named hosts.
    ///
    /// - Parameters:
    ///   - provider: The source of the tokens.
    ///   - hosts: The complete host names that the token may go to, in any case, at any port. By default,
    ///     it goes to URLs with the scheme, host and port of the client's base URL.
    public init(_ provider: any TokenProvider, hosts: Set<String>? = nil) {
        self.hosts = hosts.map { Set($0.map(\.plainHost)) }
        refresher = TokenRefresher(provider)
    }

    /// Creates an interceptor for a token that never changes, such as an API key.
    ///
    /// The token is never refreshed, so a 401 is returned.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - hosts: The complete host names that the token may go to, or `nil` for the origin of the
    ///     client's base URL.
    public init(token: String, hosts: Set<String>? = nil) {
        self.init(FetchedToken(token) { nil }, hosts: hosts)
    }

    /// Creates an interceptor whose token a function fetches, such as a client-credentials token.
    ///
    /// The function runs for the first call and after a 401. All waiting calls share its token or
    /// its error. After an error, the next call runs it again.
    ///
    /// ```swift
    /// BearerAuthentication { try await plain.load(TokenRequest()) }
    /// ```
    ///
    /// - Parameters:
    ///   - hosts: The complete host names that the token may go to, or `nil` for the origin of the
    ///     client's base URL.
    ///   - fetch: Returns a new token. Load it with a client without this interceptor.
    public init(
        hosts: Set<String>? = nil, fetch: @escaping @Sendable () async throws -> String
    ) {
        self.init(FetchedToken(nil, fetch: fetch), hosts: hosts)
    }

    /// Creates an interceptor whose token a function fetches, and fetches again before it expires.
    ///
    /// The function runs once for all calls. A call in the last tenth of the lifetime, at most a minute,
    /// starts the next fetch, and calls use the old token until it ends. If that fetch fails, they use the
    /// old token until it expires. After that, all calls wait for one fetch, and share its token or its
    /// error. A token whose lifetime is zero or less is fetched before each attempt. The lifetime counts
    /// from the start of the fetch. A 401 refreshes the token as with any provider.
    ///
    /// A fetch belongs to no call: it has neither the deadline nor the task-local values of one, such as
    /// a trace, and no cancellation ends it. Limit it in its own client.
    ///
    /// ```swift
    /// let expiring = BearerAuthentication(expiring: {
    ///     let grant = try await plain.load(GrantRequest(), with: secret)
    ///     return (grant.token, .seconds(grant.lifetime))
    /// })
    /// ```
    ///
    /// - Parameters:
    ///   - hosts: The complete host names that the token may go to, or `nil` for the origin of the
    ///     client's base URL.
    ///   - fetch: Returns a new token and its lifetime. Load it with a client without this interceptor.
    ///   - clock: The clock that measures the lifetime.
    public init(
        hosts: Set<String>? = nil,
        expiring fetch: @escaping @Sendable () async throws -> (token: String, lifetime: Duration),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.init(ExpiringToken(clock: clock, fetch: fetch), hosts: hosts)
    }

    /// Returns a copy that may also send the token over http to the hosts that you name.
    ///
    /// Everyone on the way can then read the token. It suits a server in your own network, such as
    /// the Mac of a developer, or a mesh whose sidecars add TLS. It adds no destination: the host must
    /// also be that of the base URL, or one that the token may go to.
    ///
    /// - Parameter hosts: The complete host names, in any case, at any port.
    /// - Returns: The copy.
    public func allowingPlainHTTP(to hosts: Set<String>) -> BearerAuthentication {
        var copy = self
        copy.plainHTTPHosts.formUnion(hosts.map(\.plainHost))
        return copy
    }

    /// Sends a call with the token, and again with a new token after a 401.
    ///
    /// - Throws: The error of `next` or of the provider, `CancellationError`, or an ``APIError`` of
    ///   kind ``APIError/Kind/invalidRequest(_:)`` if the token may not go to the URL, or is not a
    ///   valid header value.
    public func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        guard mayAuthorize(call), var token = try await refresher.token(for: call) else {
            return try await next(call)
        }
        try checkDestination(of: call)
        let isRefreshing = refresher.isRefreshing(token)
        let timeout = Duration(clampingSeconds: call.request.timeoutInterval)
        if isRefreshing {
            // The server would refuse it. If the refresh fails, or waits for this call, send it.
            let replacement = try? await refresher.replacement(of: token, timeout: timeout)
            try Task.checkCancellation()
            if replacement != nil { token = try await refresher.token(for: call) ?? token }
        }
        let response = try await next(call.authorized(by: token))
        guard response.statusCode == 401, response.answersToken(of: call),
            let call = call.repeated()
        else { return response }
        // An unread stream would hold a permit of a ConcurrencyLimit, which the refresh may need.
        let refusal = try await response.buffered(for: call)
        guard
            let newToken = try await refresher.replacement(
                of: token, timeout: isRefreshing ? timeout : nil),
            call.hasRepeatableBody
        else { return refusal }
        return try await next(call.authorized(by: newToken))
    }

    private func mayAuthorize(_ call: APICall) -> Bool {
        guard let url = call.request.url,
            call.request.value(forHTTPHeaderField: "Authorization") == nil
        else { return false }
        if let hosts { return hosts.contains(url.plainHost) }
        return call.context.baseURL.map { Origin($0) == Origin(url) } ?? true
    }

    private func checkDestination(of call: APICall) throws {
        guard hosts != nil || call.context.baseURL != nil else {
            throw APIError(
                .invalidRequest(
                    """
                    its token may go only to the base URL of the client, which has none; set one, \
                    or name hosts with BearerAuthentication(_:hosts:)
                    """))
        }
        guard let url = call.request.url, url.scheme?.lowercased() != "https", !url.isLoopback,
            !plainHTTPHosts.contains(url.plainHost)
        else { return }
        throw APIError(
            .invalidRequest(
                """
                a bearer token may go over http only to a loopback address; \
                \(url.host ?? "this URL") needs https, or BearerAuthentication.allowingPlainHTTP(to:)
                """))
    }
}

extension BearerAuthentication: CustomStringConvertible, DumpsWithoutSecrets {
    /// The name of the type, without a token.
    public var description: String { "BearerAuthentication" }
}

extension APIResponse {
    /// Returns the response with its stream in memory, so that its connection closes.
    ///
    /// The buffer holds at most 1,000,000 bytes of a response that the request type does not accept.
    fileprivate func buffered(for call: APICall) async throws -> APIResponse {
        guard let stream else { return self }
        let limit = call.apiRequest.accepts(http) ? Int.max : APIError.bodyLimit
        let start = ByteStream(try await stream.data(upTo: limit))
        let buffered = ByteStream(reading: start.reading, context: stream.context) as? Value
        return buffered.map { APIResponse(value: $0, http: http) } ?? self
    }
}

extension APIResponse {
    /// Whether the response answers a request with a token of a call.
    ///
    /// After a redirect to another origin, no request carries it (Fetch, section 4.4). A transport that
    /// does not report its redirects shows only where the response is from.
    fileprivate func answersToken(of call: APICall) -> Bool {
        if let answered = call.context.answered { return !answered.hasLeftOrigin }
        return http.url.map { Origin($0) == Origin(call.request.url) } ?? true
    }
}

extension APICall {
    fileprivate func authorized(by token: SharedToken) throws -> APICall {
        var call = self
        call.account = token.credential.account
        try call.setHeader("Authorization", to: "Bearer \(token.credential.token)")
        return call
    }
}
