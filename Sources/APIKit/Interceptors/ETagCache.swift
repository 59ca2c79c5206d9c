import Foundation

/// A cache that revalidates every stored response with the server.
///
/// Use it for large or frequently requested resources that seldom change. It stores a response of
/// status 200 to a GET if the response has an `ETag` or a `Last-Modified`. It sends the next GET of
/// the same URL with `If-None-Match` and `If-Modified-Since`. If the server responds with 304, Not
/// Modified, the caller receives the stored response with status 200. The 304 updates its header
/// fields (RFC 9110, section 13, and RFC 9111, sections 3.2 and 4.3). Request types need no change.
///
/// It saves the transfer of the body, never the request: it does not compute freshness, and the
/// server confirms every use. It is not a general HTTP cache, and stores nothing on disk.
///
/// **Order.** The cache needs the final request, including its `Authorization`. Place it
/// inside ``BearerAuthentication``, ``RequestAdapter``, ``Retry`` and ``Coalescing``. Only
/// interceptors that do not change the request may be inside it.
///
/// ```swift
/// APIClient(
///     baseURL: url,
///     interceptors: [
///         RequestAdapter { $0.setValue("de", forHTTPHeaderField: "Accept-Language") },
///         ETagCache(),
///     ])
/// ```
///
/// **What it does not handle.** Methods other than GET. Requests with a body, with `Range`, with a
/// condition such as `If-Match`, or with `Cache-Control: no-store`. Requests with `Authorization`,
/// unless you enable them. Calls whose body is not `Data`. Responses with `no-store`, with
/// `Vary: *`, or with a field of a single attempt in `Vary`.
///
/// **Which requests a response matches.** Those with the same URL, account and header fields, because
/// any field can identify a user. ``BearerAuthentication`` sets the account. The fields that a
/// `URLSession` adds, such as cookies, count too. So if a server sets another cookie with each
/// response, as some load balancers do, no stored response matches. Set `httpShouldHandleCookies` to
/// `false` for such a request. Fields that identify or date a single attempt, such as `X-Request-ID`
/// and `traceparent`, do not count, and neither do other header fields that the system adds. The
/// cache is for one user, so it stores `private` responses.
///
/// **What removes a response.** A newer 200 to the same request removes it, even if the newer one
/// cannot be stored. Other statuses, such as 404, leave it. A successful request to the same URL with
/// a method that may change the resource, such as POST, PUT, PATCH or DELETE, removes it (RFC 9111,
/// section 4.4). Beyond the capacity, the least recently used response is removed first.
///
/// **Errors and cancellation** do not change the stored responses. A 304 that does not match the
/// stored response never reaches the caller: the cache sends the request again without a condition.
///
/// An instance is safe to use from any task, and clients of the same user can share it.
public final class ETagCache: APIInterceptor {
    private let storesAuthorized: Bool
    private let store: Locked<ResponseStore>

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - capacity: The maximum size in bytes of all bodies, plus an estimate of the other data. A
    ///     larger response is not stored. At zero or less, no response is stored.
    ///   - storesAuthorized: Whether to store responses to requests with `Authorization`. Such a
    ///     response matches only requests with the same `Authorization`, so never one with a new
    ///     token. Call ``removeAll()`` when the user signs out.
    public init(capacityInBytes capacity: Int = 10_000_000, storesAuthorized: Bool = false) {
        self.storesAuthorized = storesAuthorized
        store = Locked(ResponseStore(capacity: capacity))
    }

    /// Removes all responses.
    ///
    /// Calls in flight complete as usual, but their responses are not stored.
    public func removeAll() {
        store.withLock { $0.removeAll() }
    }

    /// Sends a call, as a conditional request if a stored response matches it.
    public func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        // The key contains the cookies that are sent. The response may set others.
        let key = RequestIdentity(ofStored: call)
        guard Body.self == Data.self, handles(call.request, key) else {
            let response = try await next(call)
            // An unsafe method may change the resource (RFC 9110, section 9.2.1).
            if !["GET", "HEAD", "OPTIONS", "TRACE"].contains(call.request.method),
                (200..<400).contains(response.statusCode)
                    || call.context.answered?.isContinuation == true
            {
                store.withLock { $0.removeResponses(of: key.url) }
            }
            return response
        }
        let (stored, generation) = store.withLock { ($0.responses[key], $0.generation) }
        var response = try await next(stored.map(call.revalidating) ?? call)
        var confirmed: StoredResponse?
        if let stored, response.statusCode == 304 {
            // The stored response is valid even if the store has removed it since.
            if let http = stored.head(updatedBy: response.http), let body = stored.body as? Body {
                response = APIResponse(value: body, http: http)
                confirmed = stored
            } else {
                response = try await next(call)
            }
        }
        if response.statusCode == 200, let body = response.value as? Data,
            !APIError.mayCut(body) || call.apiRequest.accepts(response.http)
        {
            let new = StoredResponse(for: key, http: response.http, body: body)
            store.withLock { store in
                // What has removed or replaced a response is newer than its revalidation.
                guard confirmed == nil || store.responses[key] === confirmed else { return }
                store.store(new, for: key, generation: generation)
            }
        }
        return response
    }

    private func handles(_ request: URLRequest, _ key: RequestIdentity) -> Bool {
        request.method == .get && request.httpBody == nil && request.httpBodyStream == nil
            && !key.fields.keys.contains { $0 == "range" || $0.hasPrefix("if-") }
            && !FieldReader.words(of: key.fields["cache-control"]?.text).contains("no-store")
            && (storesAuthorized || key.fields["authorization"] == nil)
    }
}

extension APICall {
    /// Returns the call with the conditions of a stored response.
    fileprivate func revalidating(_ stored: StoredResponse) -> APICall {
        var call = self
        let conditions = ["If-None-Match": "ETag", "If-Modified-Since": "Last-Modified"]
        for (name, validator) in conditions {
            let value = stored.http.value(forHTTPHeaderField: validator)
            call.request.setValue(value, forHTTPHeaderField: name)
        }
        // A `URLCache` of the session could take the 304 for the response to its own revalidation.
        if call.request.cachePolicy == .useProtocolCachePolicy {
            call.request.cachePolicy = .reloadIgnoringLocalCacheData
        }
        return call
    }
}
