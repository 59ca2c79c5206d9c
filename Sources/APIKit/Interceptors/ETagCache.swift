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
/// **Where it belongs.** Last, or before interceptors that do not change the request: it has to see
/// the request as it is sent, above all its `Authorization`. So inside authentication, request
/// adapters, `Retry` and `Coalescing`.
///
/// ```swift
/// APIClient(baseURL: url, interceptors: [RequestAdapter { … }, ETagCache()])
/// ```
///
/// **What it leaves alone.** Other methods than GET; requests with `Range`, with a condition of
/// their own, or with `Cache-Control: no-store`; calls whose body is not `Data`; and requests with
/// `Authorization`, unless it was created to store those too. A response with `no-store` or
/// `Vary: *` is not kept. A response that varies is kept once for each combination of the headers
/// that its `Vary` names, as the request has them here: headers that a `URLSession` adds on its own
/// are not seen. It is a cache for one user, so `private` responses are kept.
///
/// **What removes a response.** Room for newer ones: the least recently used goes first. A newer
/// one for the same request, even if it cannot be kept itself. A successful request for the same
/// URL with a method that may change it, such as POST, PUT, PATCH or DELETE (RFC 9111, section
/// 4.4). And ``removeAll()``.
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
    ///   - bytes: The size of all that is kept: bodies, and an estimate for the rest. A response
    ///     that is larger by itself is not kept.
    ///   - storesAuthorized: Whether responses to requests with `Authorization` are kept. Such a
    ///     response is used only for requests with the same `Authorization`, so a new token starts
    ///     anew. Call ``removeAll()`` when the user signs out.
    public init(capacity bytes: Int = 10_000_000, storesAuthorized: Bool = false) {
        self.storesAuthorized = storesAuthorized
        store = Locked(ResponseStore(capacity: bytes))
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
        let request = call.request
        guard Body.self == Data.self, isHandled(request) else {
            let response = try await next(call)
            if request.mayChangeTheResource, (200..<400).contains(response.statusCode) {
                store.withLock { $0.removeResponses(to: request) }
            }
            return response
        }
        let (stored, generation) = store.withLock { ($0.response(to: request), $0.generation) }
        var response = try await next(stored.map(call.validating) ?? call)
        // The call holds the kept response, so it does not matter if that was removed meanwhile.
        if let stored, response.statusCode == 304 {
            if let http = stored.head(updatedBy: response.http), let body = stored.body as? Body {
                let updated = StoredResponse(to: request, http: http, body: stored.body)
                store.withLock { $0.replace(stored, with: updated) }
                return APIResponse(value: body, http: http)
            }
            response = try await next(call)
        }
        if response.statusCode == 200, let body = response.value as? Data {
            let kept = StoredResponse(to: request, http: response.http, body: body)
            store.withLock { $0.keep(kept, answering: request, since: generation) }
        }
        return response
    }

    private func isHandled(_ request: URLRequest) -> Bool {
        func has(_ name: String) -> Bool { request.value(forHTTPHeaderField: name) != nil }
        let cacheControl = HeaderList(request.value(forHTTPHeaderField: "Cache-Control"))
        return request.method == "GET"
            && !Self.headersLeftAlone.contains(where: has)
            && !cacheControl.words.contains("no-store")
            && (storesAuthorized || !has("Authorization"))
    }

    private static let headersLeftAlone = [
        "Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since",
        "If-Range",
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
