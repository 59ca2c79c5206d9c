import Foundation

/// An interceptor that changes each request with a closure.
///
/// ```swift
/// RequestAdapter { $0.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID") }
/// ```
public struct RequestAdapter: APIInterceptor {
    private let adapt: @Sendable (inout URLRequest) async throws -> Void

    /// Creates an interceptor from a closure.
    ///
    /// - Parameter adapt: Changes the request. The call throws its error unchanged.
    public init(_ adapt: @escaping @Sendable (inout URLRequest) async throws -> Void) {
        self.adapt = adapt
    }

    /// Changes the request and sends the call.
    public func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        var call = call
        try await adapt(&call.request)
        return try await next(call)
    }
}
