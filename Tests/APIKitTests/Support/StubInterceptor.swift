import APIKit
import Foundation

/// An interceptor that answers every call by itself.
struct StubInterceptor: APIInterceptor {
    let answer: @Sendable () async throws -> APIResponse<Data>

    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body> {
        guard let response = try await answer() as? APIResponse<Body> else {
            return try await next(call)
        }
        return response
    }
}
