import Foundation

/// Something that happens around a call: authentication, retry, a deadline, a cache.
///
/// An interceptor gets the call and the rest of the way, `next`. It may change the request, call
/// `next` not at all, once or again, and look at or replace the response. What it has to remember
/// of a call lives in its local variables.
///
/// A status is a value in here, not an error: whether it is acceptable is decided only after the
/// outermost interceptor has returned. `next` throws `CancellationError`, what interceptors inside
/// threw, or an ``APIError`` of kind ``APIError/Kind/transport``, ``APIError/Kind/notHTTP`` or, with
/// uploads and downloads, ``APIError/Kind/file(_:)``.
///
/// The method is generic in the body, so one interceptor serves every kind of call. A body that is
/// a ``ByteStream`` should be cancelled if it is not returned.
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
    ///   - call: The call as it came from the interceptor outside this one.
    ///   - next: The interceptors inside this one and the transport.
    /// - Returns: The response to the interceptor outside this one.
    /// - Throws: What `next` threw, or an error of its own.
    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body>
}
