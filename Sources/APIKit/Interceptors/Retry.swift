import Foundation

/// An interceptor that sends a request again after a failure that may be temporary.
///
/// It sends a request again in three cases:
/// - The request never left the device, for example because the host cannot be found.
/// - The server refuses the request for now: it responds with 429.
/// - The request may have reached the server: the connection is lost, the ``Deadline`` of one
///   attempt passes, or the response is 408, 500, 502, 503 or 504. In this case, the request must
///   be idempotent: GET, HEAD, OPTIONS, TRACE, PUT, DELETE (RFC 9110, section 9.2.2), or any
///   request with an `Idempotency-Key`.
///
/// The code of a `URLError` distinguishes failures of the transport. After any other underlying
/// error, the request is not sent again. The same is true after a response that is not valid HTTP
/// or cannot be decoded, because the server would send it again.
///
/// A request with an `httpBodyStream` is never sent again, because the stream can be read only
/// once. All other errors, including cancellation, are thrown unchanged. So is the last error, and
/// the last response is returned unchanged.
///
/// The delay before the next attempt is that of `Retry-After`, in seconds or until a date. A date
/// is compared with the `Date` of the response, if it has one, because the clock of the device may
/// be wrong. Without `Retry-After`, or after a date in the past, the delay is an exponential
/// backoff with full jitter: a random time between zero and a limit that doubles with each attempt.
/// If the server requests a delay above the maximum, its response is returned at once. Canceling
/// the task ends the delay at once.
///
/// Place it outside ``BearerAuthentication``, so that a further attempt can get a refreshed token,
/// and inside a ``Deadline`` for the whole call. To send one call without it, use
/// `client.without(Retry.self)`.
public struct Retry: APIInterceptor {
    private let maxAttempts: Int
    private let baseDelay: Duration
    private let maxDelay: Duration
    private let clock: any Clock<Duration>
    private let jitter: @Sendable () -> Double
    private let now: @Sendable () -> Date

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - maxAttempts: The maximum number of attempts. A number below one counts as one.
    ///   - baseDelay: The longest delay before the second attempt. It doubles with each further
    ///     attempt. A negative delay counts as zero, as it does for `maxDelay`.
    ///   - maxDelay: The longest delay, including a delay that a server requests.
    ///   - clock: The clock that measures the delays.
    ///   - jitter: Returns the fraction of the limit to wait, from 0 through 1. The default is
    ///     random. A number outside this range is clamped to it, and NaN counts as 1.
    ///   - now: Returns the date to compare `Retry-After` with if the response has no `Date`.
    public init(
        maxAttempts: Int = 3,
        baseDelay: Duration = .milliseconds(500),
        maxDelay: Duration = .seconds(30),
        clock: any Clock<Duration> = ContinuousClock(),
        jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.maxAttempts = maxAttempts
        self.baseDelay = max(.zero, baseDelay.bounded)
        self.maxDelay = max(.zero, maxDelay.bounded)
        self.clock = clock
        self.jitter = jitter
        self.now = now
    }

    /// Sends a request until it succeeds, must not be sent again, or reaches the last attempt.
    public func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body> {
        var attempt = 1
        while true {
            let delay: Duration
            do {
                let response = try await next(call)
                guard attempt < maxAttempts, call.request.maySendAgain(after: response.http),
                    let wait = self.delay(after: response.http, attempt: attempt)
                else { return response }
                delay = wait
            } catch let error as APIError {
                guard attempt < maxAttempts, call.request.maySendAgain(after: error) else {
                    throw error
                }
                delay = backoff(after: attempt)
            }
            attempt += 1
            try await clock.sleep(
                for: delay,
                as: .delay { [attempt] in
                    "Retry, before attempt \(attempt) of \(Redaction.text(of: call.request))"
                })
        }
    }

    /// The delay after a response, or `nil` if the server requests a longer one than allowed.
    private func delay(after response: HTTPURLResponse, attempt: Int) -> Duration? {
        guard let delay = response.retryDelay(from: now()) else { return backoff(after: attempt) }
        return delay <= maxDelay ? delay : nil
    }

    private func backoff(after attempt: Int) -> Duration {
        // Capped, because `1 << 63` is negative.
        let factor: Int64 = 1 << min(attempt - 1, 60)
        // A division, because a product may overflow.
        let limit = baseDelay < maxDelay / factor ? baseDelay * factor : maxDelay
        let jitter = jitter()
        return jitter < 1 ? limit * max(jitter, 0) : limit
    }
}

extension URLRequest {
    fileprivate func maySendAgain(after response: HTTPURLResponse) -> Bool {
        guard httpBodyStream == nil else { return false }
        return switch response.statusCode {
        case 429: true
        case 408, 500, 502, 503, 504: isIdempotent
        default: false
        }
    }

    fileprivate func maySendAgain(after error: APIError) -> Bool {
        guard httpBodyStream == nil else { return false }
        // An inner Deadline limits one attempt.
        if error.kind == .deadline { return isIdempotent }
        guard error.kind == .transport, let code = (error.underlying as? URLError)?.code else {
            return false
        }
        return switch code {
        case .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet,
            .internationalRoamingOff, .callIsActive, .dataNotAllowed, .secureConnectionFailed:
            true
        case .timedOut, .networkConnectionLost, .resourceUnavailable, .cannotLoadFromNetwork:
            isIdempotent
        default:
            false
        }
    }

    private var isIdempotent: Bool {
        [.get, .head, .options, "TRACE", .put, .delete].contains(method)
            || value(forHTTPHeaderField: "Idempotency-Key") != nil
    }
}
