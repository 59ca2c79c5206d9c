import Foundation

/// A call, with its request and the request type that made it.
public struct APICall: Sendable {
    /// The request to send, which has an absolute URL and can be changed by interceptors.
    public var request: URLRequest

    /// The request type, by which an interceptor can distinguish calls.
    public let apiRequest: any APIRequest

    /// The base URL of the client.
    var baseURL: URL?

    /// The transport of the client.
    var transport: (any HTTPTransport)?

    /// The account of the token in the request, if the token's provider names it.
    package var account: String?

    /// The state that all attempts share.
    ///
    /// ``Retry`` sends a call again without the changes of inner interceptors to their copies.
    let shared = Locked(Shared())

    /// Creates a call, for tests of interceptors.
    ///
    /// An interceptor changes a copy of its call instead, because a new call has no base URL, no
    /// account and no earlier attempts.
    public init(request: URLRequest, apiRequest: any APIRequest) {
        self.request = request
        self.apiRequest = apiRequest
    }

    /// Returns this call with the request and the account of another call.
    ///
    /// An interceptor may have created the other call. That call has neither the tokens of earlier
    /// attempts nor the transport, whose cookies distinguish users.
    func sending(_ other: APICall) -> APICall {
        var call = self
        call.request = other.request
        call.account = other.account
        return call
    }

    /// Sets a header field of the request.
    ///
    /// The error omits this request, which may hold secrets. The client adds the request before the
    /// interceptors.
    mutating func setHeader(_ name: String, to value: String) throws {
        do {
            try request.setHeaders([name: value], replacing: true)
        } catch let error as APIError {
            throw APIError(error.kind)
        }
    }

    /// Passes a call to the next interceptor, or to the transport.
    typealias Next<Body: Sendable> = @Sendable (APICall) async throws -> APIResponse<Body>
}

extension APICall {
    /// What interceptors keep from one attempt to the next.
    struct Shared {
        /// The token of the last attempt for each `TokenRefresher`, or `nil` if it had none.
        var sentTokens: [ObjectIdentifier: SharedToken?] = [:]

        /// The key of the call, once an ``IdempotencyKey`` has made it.
        var idempotencyKey: String?
    }
}

extension APICall: CustomReflectable {
    /// A mirror without secrets, for `print` and `dump`.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "request": Redaction.text(of: request),
                "headers": Redaction.masked(request.allHTTPHeaderFields ?? [:]),
                "apiRequest": "\(type(of: apiRequest))",
            ], displayStyle: .struct)
    }
}
