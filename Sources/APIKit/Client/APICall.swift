import Foundation

/// A call, with its request and the request type that made it.
public struct APICall: Sendable {
    /// The request to send, which has an absolute URL and can be changed by interceptors.
    public var request: URLRequest

    /// The request type, with which an interceptor can distinguish calls.
    public var apiRequest: any APIRequest { context.apiRequest }

    /// The body of an upload, which the transport sends with the request.
    ///
    /// It is `nil` for a load, whose body the request holds, and for a GET that continues an upload after
    /// a redirect. See <doc:recipes-for-an-app#A-signature-of-the-body>.
    public var body: HTTPBody? {
        isContinuation && request.method == .get ? nil : context.body
    }

    /// What all copies of the call share.
    ///
    /// ``Retry`` sends its own copy of the call again. That copy lacks the changes that inner
    /// interceptors made.
    let context: CallContext

    /// The account of the token in the request, if the token's provider names it.
    package var account: String?

    /// The time that the outer ``Deadline`` leaves, or `nil` without one.
    ///
    /// It is zero or less once the time is up. A service can pass it on to the server that it calls.
    public var timeLeft: Duration? { deadline?() }

    /// Returns the time that the outer ``Deadline`` leaves.
    var deadline: (@Sendable () -> Duration)?

    /// Whether the request continues the call at a redirect of an earlier attempt.
    var isContinuation = false

    /// Creates a call, for tests of interceptors.
    ///
    /// An interceptor changes a copy of its call instead, because a new call has no base URL, no
    /// account, no deadline and no earlier attempts.
    public init(request: URLRequest, apiRequest: any APIRequest) {
        self.init(CallContext(of: apiRequest, request: request))
    }

    /// Creates the call of a context.
    init(_ context: CallContext) {
        request = context.request
        self.context = context
    }

    /// Returns this call with the request, the account and the deadline of another call.
    ///
    /// An interceptor may have created the other call. It then lacks the tokens of earlier attempts,
    /// and the transport, whose cookies distinguish users.
    func sending(_ other: APICall) -> APICall {
        var call = self
        call.request = other.request
        call.account = other.account
        call.deadline = other.deadline
        call.isContinuation = other.isContinuation
        return call
    }

    /// Sets a header field of the request.
    ///
    /// The error omits this request, which may hold secrets. ``CallRun`` adds the request that the
    /// interceptors received.
    mutating func setHeader(_ name: String, to value: String) throws {
        do {
            try request.setHeaders([name: value], replacing: true)
        } catch let error as APIError {
            throw APIError(error.kind)
        }
    }

    /// A function that passes a call to the inner interceptors and the transport.
    ///
    /// Use this name in an interceptor. The spelled-out type differs in a module that enables
    /// `NonisolatedNonsendingByDefault`, as approachable concurrency does.
    public typealias Next<Body: Sendable> = @Sendable (APICall) async throws -> APIResponse<Body>
}

extension APICall {
    /// The transport of the call, if it is a URL session.
    var sessionTransport: URLSessionTransport? { context.transport as? URLSessionTransport }

    /// The header fields that the request sets and a URL session adds, with lowercase names.
    ///
    /// They omit fields that are the same for every user, such as `User-Agent`.
    var sentFields: [String: String] {
        let own = (request.allHTTPHeaderFields ?? [:]).map { ($0.key.lowercased(), $0.value) }
        let added = sessionTransport?.addedFields(for: request) ?? []
        // Transports differ in which cookies they prefer, so join both.
        return Dictionary(own + added.map { ($0.name.lowercased(), $0.value) }) { "\($0); \($1)" }
    }
}

extension APICall: DumpsWithoutSecrets {
    package var dumped: KeyValuePairs<String, Any> {
        [
            "request": Redaction.masked(request),
            "headers": Redaction.masked(request.allHTTPHeaderFields ?? [:]),
            "apiRequest": "\(type(of: apiRequest))",
        ]
    }
}
