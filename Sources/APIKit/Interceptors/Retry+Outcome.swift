import Foundation

extension Retry {
    /// The outcome of an attempt: a response of any status, or an error.
    public struct Outcome: Sendable {
        /// The call that another attempt would send, without the changes of inner interceptors.
        ///
        /// After a 303 to a POST, it is the GET that followed.
        public let call: APICall

        /// The head of the response, if one arrived.
        public let response: HTTPURLResponse?

        /// The body of the response to a load or an upload.
        ///
        /// It is `nil` for a stream and for a download.
        public let body: Data?

        /// The error that the inner interceptors or the transport threw, if they did.
        public let error: (any Error)?

        /// The status code of the response, if one arrived.
        public var statusCode: Int? { response?.statusCode }

        /// Creates an outcome, for a test of a rule.
        public init(
            call: APICall, response: HTTPURLResponse? = nil, body: Data? = nil,
            error: (any Error)? = nil
        ) {
            (self.call, self.response, self.body, self.error) = (call, response, body, error)
        }
    }
}

extension Retry.Outcome {
    init<Body>(of call: APICall, _ result: Result<APIResponse<Body>, any Error>) {
        switch result {
        case .success(let response):
            self.init(call: call, response: response.http, body: response.value as? Data)
        case .failure(let error):
            let failure = error as? APIError
            self.init(call: call, response: failure?.response, body: failure?.body, error: error)
        }
    }

    /// Whether another attempt is safe and may succeed.
    func isTemporary(_ statuses: Set<Int>) -> Bool {
        guard let error else {
            guard let statusCode, statuses.contains(statusCode) else { return false }
            // The server did not process a request that it refuses with 429 or 425 (RFC 6585, section
            // 4, and RFC 8470, section 5.2).
            return [425, 429].contains(statusCode) || isIdempotent
        }
        guard let error = error as? APIError else { return false }
        // An inner Deadline limits one attempt.
        if error.kind == .deadline { return isIdempotent }
        guard error.kind == .transport else { return false }
        return switch error.underlying {
        case let error as URLError: isTemporary(error.code)
        // iOS reports these for a connection that it closed while the app was in the background.
        case let error as POSIXError:
            [.ECONNABORTED, .ECONNRESET, .ENOTCONN, .EPIPE].contains(error.code) && isIdempotent
        default: false
        }
    }

    /// Whether the body is too large to load, which another attempt would only transfer again.
    var hasExcessiveBody: Bool {
        if case .bodyTooLarge = (error as? APIError)?.kind { true } else { false }
    }

    private func isTemporary(_ code: URLError.Code) -> Bool {
        switch code {
        case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet,
            .internationalRoamingOff, .callIsActive, .dataNotAllowed, .secureConnectionFailed:
            true
        case .timedOut, .networkConnectionLost, .resourceUnavailable, .cannotLoadFromNetwork:
            isIdempotent
        default:
            false
        }
    }

    /// Whether repeating the request is safe, because of its method or its `Idempotency-Key`.
    ///
    /// The methods are GET, HEAD, OPTIONS, TRACE, PUT and DELETE (RFC 9110, section 9.2.2).
    public var isIdempotent: Bool { call.isIdempotent }
}

extension Retry.Outcome: DumpsWithoutSecrets {
    package var dumped: KeyValuePairs<String, Any> {
        [
            "call": call,
            "statusCode": statusCode ?? "none",
            "body": body.map { "\($0.count) bytes" } ?? "none",
            "error": error.map(APIError.clause(for:)) ?? "none",
        ]
    }
}
