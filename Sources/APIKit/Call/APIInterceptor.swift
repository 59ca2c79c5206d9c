import Foundation

/// A step around a call: authentication, retry, a deadline, a cache.
///
/// An interceptor receives the call, and `next`, which passes a call to the interceptors inside of
/// it and to the transport. It may change the request, call `next` any number of times or never, and
/// inspect or replace the response. Its local variables hold the state of one call.
///
/// Here a status is a value, and not an error. The request type accepts or refuses it after the
/// outermost interceptor has returned. `next` throws `CancellationError`, an error of an interceptor
/// inside, or an ``APIError`` of kind ``APIError/Kind/transport``, ``APIError/Kind/notHTTP`` or, for
/// uploads and downloads, ``APIError/Kind/file(_:)``.
///
/// The method is generic in the body, so one interceptor serves every kind of call. An interceptor
/// that does not return a ``ByteStream`` should cancel it.
///
/// ```swift
/// struct Timing: APIInterceptor {
///     func intercept<Body>(
///         _ call: APICall,
///         next: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
///     ) async throws -> APIResponse<Body> {
///         let start = ContinuousClock.now
///         defer { print(call.request.url!, start.duration(to: .now)) }
///         return try await next(call)
///     }
/// }
/// ```
public protocol APIInterceptor: Sendable {
    /// Handles a call.
    ///
    /// - Parameters:
    ///   - call: The call from the interceptor outside of this one, or from the client.
    ///   - next: Sends a call through the interceptors inside of this one and the transport.
    /// - Returns: The response for the interceptor outside of this one.
    /// - Throws: The error of `next`, or any other.
    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body>
}
