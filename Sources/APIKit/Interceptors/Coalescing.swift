import Foundation

/// An interceptor that sends one request for identical calls that are in flight at the same time.
///
/// Ten views that load the same picture at once send one request. Two calls are identical if
/// both are GET or both are HEAD, and if everything that selects or limits the response is equal.
/// That is the URL, the main document URL, the header fields including tokens and cookies, the
/// timeout, the cache policy, the network flags and the service type. The fields of
/// ``HTTPTransport/addedFields(for:)``, such as a `URLSession`'s cookies, must be equal too. So
/// must the session, if the transport is a URL session. Names of header fields are not
/// case-sensitive. A request with a body is never shared, and neither is a response whose body is
/// not `Data`.
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
    private struct Identity: Hashable, Sendable {
        let method: HTTPMethod
        let url: String
        let mainDocumentURL: URL?
        let fields: [String: [UInt8]]
        let transport: URLSessionTransport?
        let cachePolicy: UInt
        let timeout: TimeInterval
        let serviceType: UInt
        let networkFlags: [Bool]
    }

    private let flights = SingleFlight<Identity, any Sendable>(cancelsWhenAbandoned: true)

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
        if Body.self == Data.self, let identity = identity(of: call),
            let response = try await flights.run(identity, { try await next(call) })
                as? APIResponse<Body>
        {
            return response
        }
        return try await next(call)
    }

    private func identity(of call: APICall) -> Identity? {
        let request = call.request
        guard [.get, .head].contains(request.method), let url = request.url,
            request.httpBody == nil, request.httpBodyStream == nil
        else { return nil }
        return Identity(
            method: request.method, url: url.absoluteString,
            mainDocumentURL: request.mainDocumentURL,
            fields: call.sentFields.mapValues { Array($0.utf8) },
            transport: call.sessionTransport, cachePolicy: request.cachePolicy.rawValue,
            timeout: request.timeoutInterval, serviceType: request.networkServiceType.rawValue,
            networkFlags: request.networkFlags)
    }
}
