import Foundation

/// A type that runs around each call, such as authentication, a retry, a deadline or a cache.
///
/// An interceptor receives a call and `next`, which passes a call to the inner interceptors and the
/// transport. It can change the request, skip `next` or call it several times, and inspect or
/// replace the response. Keep the state of one call in local variables.
///
/// Interceptors see a response of any status as a value, not as an error. The request type
/// accepts the response, or does not, after the outermost interceptor returns. `next` throws
/// `CancellationError`, the errors of inner interceptors, or an ``APIError`` of kind
/// ``APIError/Kind/transport``, ``APIError/Kind/notHTTP`` or, for uploads and downloads,
/// ``APIError/Kind/file(_:)``.
///
/// The method is generic over the body, so one interceptor serves every kind of call. Cancel a
/// ``ByteStream`` that you do not return.
///
/// ```swift
/// struct Timing: APIInterceptor {
///     func intercept<Body>(
///         _ call: APICall,
///         next: @escaping APICall.Next<Body>
///     ) async throws -> APIResponse<Body> {
///         let start = ContinuousClock.now
///         defer { print(call.request, start.duration(to: .now)) }
///         return try await next(call)
///     }
/// }
/// ```
public protocol APIInterceptor: Sendable {
    /// Handles a call.
    ///
    /// - Parameters:
    ///   - call: The call that the next outer interceptor or the client passes.
    ///   - next: Passes a call to the inner interceptors and the transport.
    /// - Returns: The response for the next outer interceptor.
    /// - Throws: The error of `next`, or another error.
    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body>
}
