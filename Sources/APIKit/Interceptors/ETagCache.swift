import Foundation

/// A cache that asks the server whether what it has is still right.
///
/// Use it for resources that are large, or asked for often, and seldom change. A response of
/// status 200 to a GET is kept if it has an `ETag` or a `Last-Modified`. The next GET of the same
/// URL is sent with `If-None-Match` and `If-Modified-Since`, and where the server answers 304, Not
/// Modified, the caller gets the kept body with status 200 and the kept headers as the 304 updates
/// them (RFC 9110, section 13, and RFC 9111, sections 3.2 and 4.3). So a request type need not know
/// of it.
///
/// It saves the transfer of the body and never the request: it keeps no count of freshness, and
/// every use is confirmed by the server. It is not a general HTTP cache, and keeps nothing on disk.
///
/// **Where it belongs.** Last, or before interceptors that do not change the request: it needs the
/// request as it is sent, above all its `Authorization`. So inside authentication, request adapters,
/// `Retry` and `Coalescing`.
///
/// ```swift
/// APIClient(baseURL: url, interceptors: [RequestAdapter { … }, ETagCache()])
/// ```
///
/// **What it leaves alone.** Other methods than GET; requests with a body, with `Range`, with a
/// condition of their own, or with `Cache-Control: no-store`; calls whose body is not `Data`; and
/// requests with `Authorization`, unless it was created to store those too. A response with
/// `no-store` or `Vary: *` is not kept.
///
/// **Which request a response is for.** One with the same URL, account and secret header fields, such
/// as `Authorization`, `Cookie` and `X-Api-Key`. The header fields that `Vary` names are the same,
/// too. ``BearerAuthentication`` sets the account. Header fields and cookies that a `URLSession`
/// adds count, if it is the transport of the client. Header fields that the system chooses by itself
/// do not. It is a cache for one user, so `private` responses are kept.
///
/// **What removes a response.** Room for newer ones: the least recently used goes first, and one URL
/// has at most 32. A newer one for the same request, even if it cannot be kept itself. A successful
/// request for the same URL with a method that may change it, such as POST, PUT, PATCH or DELETE
/// (RFC 9111, section 4.4). And ``removeAll()``.
///
/// **Errors and cancellation** pass through, and leave what is kept as it is. A 304 that is not
/// about the kept response never reaches the caller: the request is sent once more without the
/// condition.
///
/// One instance serves any number of calls at once, and may be shared by clients of the same user.
public final class ETagCache: APIInterceptor {
    private let storesAuthorized: Bool
    private let store: Locked<ResponseStore>

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - capacity: The size of all that is kept: bodies, and an estimate for the rest. A response
    ///     that is larger by itself is not kept; with zero or less, none is.
    ///   - storesAuthorized: Whether responses to requests with `Authorization` are kept. Such a
    ///     response is used only for requests with the same `Authorization`, so a new token starts
    ///     anew. Call ``removeAll()`` when the user signs out.
    public init(capacityInBytes capacity: Int = 10_000_000, storesAuthorized: Bool = false) {
        self.storesAuthorized = storesAuthorized
        store = Locked(ResponseStore(capacity: capacity))
    }

    /// Removes everything.
    ///
    /// Calls under way still end well, and what they are answered with is not kept.
    public func removeAll() {
        store.withLock { $0.removeAll() }
    }

    /// Sends the call, as a question whether the kept response is still right if there is one.
    public func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body> {
        // Taken before the request is sent: the response may set a cookie.
        let query = CacheQuery(call)
        guard Body.self == Data.self, isHandled(call.request, query) else {
            let response = try await next(call)
            if call.request.mayChangeTheResource, (200..<400).contains(response.statusCode) {
                store.withLock { $0.removeResponses(of: query.url) }
            }
            return response
        }
        let (stored, generation) = store.withLock { ($0.response(to: query), $0.generation) }
        var response = try await next(stored.map(call.validating) ?? call)
        // The call holds the kept response, so it does not matter if that was removed meanwhile.
        if let stored, response.statusCode == 304 {
            if let http = stored.head(updatedBy: response.http), let body = stored.body as? Body {
                let updated = StoredResponse(to: query, http: http, body: stored.body)
                store.withLock { $0.replace(stored, with: updated) }
                return APIResponse(value: body, http: http)
            }
            response = try await next(call)
        }
        if response.statusCode == 200, let body = response.value as? Data {
            let kept = StoredResponse(to: query, http: response.http, body: body)
            store.withLock { $0.keep(kept, answering: query, since: generation) }
        }
        return response
    }

    private func isHandled(_ request: URLRequest, _ query: CacheQuery) -> Bool {
        request.method == .get && request.httpBody == nil && request.httpBodyStream == nil
            && !Self.fieldsLeftAlone.contains { query.fields[$0] != nil }
            && !HeaderList(query.fields["cache-control"]).words.contains("no-store")
            && (storesAuthorized || query.fields["authorization"] == nil)
    }

    private static let fieldsLeftAlone = [
        "range", "if-none-match", "if-modified-since", "if-match", "if-unmodified-since",
        "if-range",
    ]
}

extension APICall {
    /// The call as a question whether a response is still right.
    fileprivate func validating(_ stored: StoredResponse) -> APICall {
        var call = self
        for (name, value) in stored.conditions {
            call.request.setValue(value, forHTTPHeaderField: name)
        }
        // A `URLCache` below could take the 304 for an answer to a question of its own.
        if call.request.cachePolicy == .useProtocolCachePolicy {
            call.request.cachePolicy = .reloadIgnoringLocalCacheData
        }
        return call
    }
}

extension URLRequest {
    /// Whether the method is none of the safe ones (RFC 9110, section 9.2.1).
    fileprivate var mayChangeTheResource: Bool {
        !["GET", "HEAD", "OPTIONS", "TRACE"].contains(method)
    }
}
