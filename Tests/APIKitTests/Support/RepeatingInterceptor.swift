import APIKit

/// An interceptor that sends a call again, whatever the answer.
struct RepeatingInterceptor: APIInterceptor {
    var times = 2

    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body> {
        for _ in 1..<times { _ = try? await next(call) }
        return try await next(call)
    }
}
