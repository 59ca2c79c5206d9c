import Foundation

/// An interceptor that lets identical calls that are in flight at the same time share one request.
///
/// Ten views that ask for the same picture at once cost one request. Calls are identical if they
/// are both GET or both HEAD, and agree in all that selects or limits the response. That is the URL,
/// the header fields, tokens among them, and the cookies; and the timeout, the cache policy, the
/// network flags and the service type. If the transport is a `URLSession`, that is the same session,
/// with the same cookies in its storage for the URL. The case of a header field's name does not
/// matter. A request with a body is never shared, nor is a response whose body is not `Data`. Other
/// calls pass.
///
/// All who share a request get its response or its error, and each makes of it what its own request
/// type says. A call that is cancelled leaves at once with `CancellationError`; the request is
/// cancelled with the last of them. Nothing is kept after the answer: this is not a cache.
///
/// What is further inside runs once, as part of the call that came first, with its task-local
/// values, and at the priority of the most urgent call. The first call's observers observe the
/// request, even if that call is cancelled. The observers of the others see only how their calls
/// begin and end.
///
/// It goes inside of `Retry` and `Deadline`, which are each call's own, and inside of
/// ``BearerAuthentication``: the token is a header by then, so nobody gets an answer meant for
/// somebody else. (Outside of both, those who share a request would share its retries too; that is
/// safe only for a client with one user for all of its life.) It goes outside of a limit, which the
/// waiting would fill, and of whatever makes each request different. Any number of tasks may use an
/// instance. It knows only the calls that it sees, and its copies know the same ones: one instance
/// belongs in a client that is kept.
///
/// ```swift
/// APIClient(baseURL: url, interceptors: [BearerAuthentication(tokens), Coalescing()])
/// ```
public struct Coalescing: APIInterceptor {
    package struct Identity: Hashable, Sendable {
        private let method: HTTPMethod
        private let url: String
        private let mainDocumentURL: URL?
        private let fields: [String: String]
        private let transport: URLSessionTransport?
        private let cachePolicy: UInt
        private let timeout: TimeInterval
        private let serviceType: UInt
        private let networkFlags: [Bool]
    }

    package let flights = SingleFlight<Identity, any Sendable>(cancelsWhenAbandoned: true)

    /// Creates an interceptor with nothing in flight.
    public init() {}

    /// Sends a call, or waits for the answer to an identical one.
    ///
    /// - Throws: What `next` threw, for this call or the one that it shares the request of, or
    ///   `CancellationError`.
    public func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body> {
        if Body.self == Data.self, let identity = Identity(of: call),
            let response = try await flights.run(identity, { try await next(call) })
                as? APIResponse<Body>
        {
            return response
        }
        return try await next(call)
    }
}

extension Coalescing.Identity {
    fileprivate init?(of call: APICall) {
        let request = call.request
        guard [.get, .head].contains(request.method), let url = request.url,
            request.httpBody == nil, request.httpBodyStream == nil
        else { return nil }
        method = request.method
        self.url = url.absoluteString
        mainDocumentURL = request.mainDocumentURL
        fields = call.sentFields
        transport = call.sessionTransport
        cachePolicy = request.cachePolicy.rawValue
        timeout = request.timeoutInterval
        serviceType = request.networkServiceType.rawValue
        networkFlags = request.networkFlags
    }
}
