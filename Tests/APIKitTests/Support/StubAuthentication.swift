import APIKit
import Foundation

/// An interceptor that adds a token and names its account, one pair for each attempt in turn.
struct StubAuthentication: APIInterceptor {
    private let left: Locked<[(token: String, account: String?)]>

    /// Creates an interceptor; the last pair serves all further attempts.
    init(_ tokens: (token: String, account: String?)...) {
        left = Locked(tokens)
    }

    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body> {
        var call = call
        let (token, account) = left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        call.request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        call.account = account
        return try await next(call)
    }
}
