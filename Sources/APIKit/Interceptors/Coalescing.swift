import Foundation

/// An interceptor that sends one request for identical calls that are in flight at the same time.
///
/// Ten views that load the same picture at once send one request. Two calls are identical if both
/// are GET or both are HEAD, and if everything that selects or limits the response is equal. That
/// is the URL, the main document URL, the header fields including tokens and cookies, the timeout,
/// the cache policy, the network flags, the service type and ``APIClient/maxBodyBytes``. If the
/// transport is a `URLSession`, the session and the fields that it adds, such as cookies, must be equal
/// too. Names of header fields are not case-sensitive. A request with a body is never shared, and
/// neither is a response whose body is not `Data`.
///
/// All calls that share a request receive its response or its error, and each parses the response
/// with its own request type. A canceled call throws `CancellationError` at once; the request is
/// canceled with its last call. No response is stored, so this is not a cache.
///
/// The inner interceptors run once, as part of the first call, with its task-local values, and at
/// the priority of the most urgent call. Only the observers of the first call observe the request,
/// until that call ends. The observers of the other calls receive only the start and the end of their
/// call.
///
/// Place it inside ``Retry`` and ``Deadline``, which belong to one call, and inside
/// ``BearerAuthentication``, so that only calls with the same token share a response. Outside
/// `Retry` and `BearerAuthentication`, calls would share retries too; that is safe only if the
/// client has one user for its lifetime. Place it outside ``ConcurrencyLimit``, so that waiting
/// calls do not count. Place it outside any interceptor that makes each request different. An
/// instance is safe to use from any task. It shares the requests of all calls through it and its
/// copies, so keep one instance with the client.
///
/// ```swift
/// APIClient(baseURL: url, interceptors: [BearerAuthentication(tokens), Coalescing()])
/// ```
public struct Coalescing: APIInterceptor {
    private let flights = SingleFlight<RequestIdentity, any Sendable>(cancelsWhenAbandoned: true)

    /// The number of calls that wait for a response, for tests.
    package var waiterCount: Int { flights.waiterCount }

    /// Creates an interceptor.
    public init() {}

    /// Sends a call, or waits for the response to an identical call.
    ///
    /// - Throws: The error of `next` for the call that is sent, or `CancellationError`.
    public func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        let request = call.request
        if Body.self == Data.self, [.get, .head].contains(request.method), request.url != nil,
            request.httpBody == nil, request.httpBodyStream == nil,
            let response = try await flights.run(
                RequestIdentity(inFlight: call), { try await next(call) }) as? APIResponse<Body>
        {
            // The request type of the call that was sent may have refused the response.
            let isCut = (response.value as? Data).map(APIError.mayCut) == true
            if !isCut || !call.apiRequest.accepts(response.http) { return response }
        }
        return try await next(call)
    }
}
