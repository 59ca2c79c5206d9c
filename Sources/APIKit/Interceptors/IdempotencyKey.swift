import Foundation

/// An interceptor that gives each POST or PATCH a key, so that ``Retry`` may send it again.
///
/// All attempts of a call carry the same key in the header field `Idempotency-Key`. A server that
/// supports the field processes only the first of several requests with the same key. Use the
/// interceptor only with such a server, because ``Retry`` relies on it. A request that already has
/// the field keeps its value.
///
/// It works at any place in the order: the key belongs to the call, not to the attempt.
///
/// ```swift
/// APIClient(baseURL: url, interceptors: [IdempotencyKey(), Retry()])
/// ```
///
/// The key is sent without quotation marks, as most servers expect. The draft standard
/// `draft-ietf-httpapi-idempotency-key-header` requires a string of RFC 9651, with quotation marks:
///
/// ```swift
/// IdempotencyKey { "\"\(UUID().uuidString)\"" }
/// ```
///
/// The key is not a secret: logs and curl commands show it. A server may treat such a command as a
/// further attempt of the call.
public struct IdempotencyKey: APIInterceptor {
    private let makeKey: @Sendable () -> String

    /// Creates an interceptor.
    ///
    /// - Parameter makeKey: Returns the key of a call, which must be unique. The default is a
    ///   random UUID.
    public init(makeKey: @escaping @Sendable () -> String = { UUID().uuidString }) {
        self.makeKey = makeKey
    }

    /// Sends a call, with its key if the method is POST or PATCH.
    ///
    /// - Throws: The error of `next`, or an ``APIError`` of kind
    ///   ``APIError/Kind/invalidRequest(_:)`` if the key is not a valid header value.
    public func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        guard [.post, .patch].contains(call.request.method),
            call.request.value(forHTTPHeaderField: Self.field) == nil
        else { return try await next(call) }
        let key = call.context.withLock { state in
            let key = state.values[Self.identity] as? String ?? makeKey()
            state.values[Self.identity] = key
            return key
        }
        var call = call
        try call.setHeader(Self.field, to: key)
        return try await next(call)
    }

    static let field = "Idempotency-Key"

    /// Whether an interceptor has made the key of a call.
    static func hasKey(_ call: APICall) -> Bool {
        call.context.withLock { $0.values[identity] != nil }
    }

    private static let identity = ObjectIdentifier(IdempotencyKey.self)
}
