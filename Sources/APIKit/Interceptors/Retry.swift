import Foundation

/// An interceptor that sends a request again after a failure that may be temporary.
///
/// It sends a request again in three cases:
/// - The request never left the device, for example because the host cannot be found.
/// - The server refuses the request for now: it responds with 429, or with 425 if `statuses` has it.
/// - The request may have reached the server: the connection is lost, the ``Deadline`` of one
///   attempt passes, or the response is 408, 500, 502, 503 or 504. In this case, the request must
///   be idempotent: GET, HEAD, OPTIONS, TRACE, PUT, DELETE (RFC 9110, section 9.2.2), or any
///   request with an `Idempotency-Key`, which an ``IdempotencyKey`` sets.
///
/// The parameter `statuses` replaces the list of statuses. A rule of your own removes cases, such as a
/// method, or adds some, such as a 202 to poll or an error code in a body:
///
/// ```swift
/// let retries = [
///     Retry(statuses: [429, 503], unless: { !$0.isIdempotent }),
///     Retry(maxAttempts: 10, alsoWhen: { outcome in outcome.statusCode == 202 }),
/// ]
/// ```
///
/// The code of a `URLError` distinguishes failures of the transport. A `POSIXError` with the code
/// `ECONNABORTED`, `ECONNRESET`, `ENOTCONN` or `EPIPE`, which iOS reports after an app returns from
/// the background, is a lost connection too. After any other underlying error, the request is not
/// sent again. Nor is it after a response that is not valid HTTP or cannot be decoded, because the
/// server would send the same response again. After ``APIError/Kind/overloaded``, further attempts
/// would keep the queue full. After ``APIError/Kind/bodyTooLarge(limit:)``, no rule is asked.
///
/// After a redirect with 301, 302 or 303, the server may have processed the request. If the next request
/// then fails, only that one is sent again, with the rules for its method. After a redirect to another
/// origin, its failure is final. Idempotent requests begin again in both cases, and all requests after a
/// 307 or 308.
///
/// A body that can be read only once is never sent again: an `httpBodyStream`, or a
/// ``HTTPBody/stream(_:length:contentType:)``. Other errors, the last error and the last response reach
/// the caller unchanged. A `CancellationError` always ends the call.
///
/// `Retry-After` sets the delay before the next attempt, in seconds or until a date. A date
/// is compared with the `Date` of the response, if it has one, because the clock of the device may
/// be wrong. Without `Retry-After`, or after a date in the past, the delay is an exponential
/// backoff with full jitter: a random time between zero and a limit that doubles with each attempt.
/// A rule of your own can set the delay instead, for a server with another field. If the delay that
/// either of them sets is above the maximum, the response is returned at once. So is the
/// response or error of an attempt if the delay would last until an outer ``Deadline``. Canceling the
/// task ends the delay at once.
///
/// Place it outside ``BearerAuthentication``, so that a further attempt can get a refreshed token,
/// and inside a ``Deadline`` for the whole call. To send one call without it, use
/// `client.without(Retry.self)`.
public struct Retry: APIInterceptor {
    private let maxAttempts: Int
    private let baseDelay: Duration
    private let maxDelay: Duration
    private let maxRetryAfter: Duration
    private let statuses: Set<Int>
    private let unless: @Sendable (Outcome) -> Bool
    private let alsoWhen: @Sendable (Outcome) -> Bool
    private let ownDelay: @Sendable (Outcome) -> Duration?
    private let clock: any Clock<Duration>
    private let jitter: @Sendable () -> Double
    private let now: @Sendable () -> Date

    /// The statuses after which a request is sent again by default: 408, 429, 500, 502, 503 and 504.
    ///
    /// Add others with `union`, as in `Retry.statuses.union([520])`.
    public static let statuses: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - maxAttempts: The maximum number of attempts. A number below one counts as one.
    ///   - baseDelay: The longest delay before the second attempt. It doubles with each further
    ///     attempt. A negative delay counts as zero, as it does for `maxDelay`.
    ///   - maxDelay: The longest delay. It also limits the delay that a server may request, unless
    ///     `maxRetryAfter` does.
    ///   - maxRetryAfter: The longest delay that a server or `delay` may request, if it differs from
    ///     `maxDelay`. A response that requests more is returned at once.
    ///   - statuses: The statuses after which a request is sent again. After 425 and 429, it
    ///     may have any method. After any other status, it must be idempotent.
    ///   - exclusion: Returns `true` to give up. It is called only where the request would be sent
    ///     again, by default or by the next rule.
    ///   - rule: Returns `true` to send a request again in a case that `Retry` does not cover. It
    ///     receives each such response, and each such error except `CancellationError` and
    ///     ``APIError/Kind/bodyTooLarge(limit:)``, unless
    ///     this was the last attempt or the body can be read only once. It may repeat a request
    ///     that is not idempotent, so make sure that the server processes it only once.
    ///   - delay: Returns the delay before the next attempt, in place of `Retry-After`, or `nil` to
    ///     leave it to `Retry`. A negative delay counts as zero.
    ///   - clock: The clock that measures the delays.
    ///   - jitter: Returns the fraction of the limit to wait, from 0 through 1. The default is
    ///     random. A number outside this range is clamped to it, and NaN counts as 1.
    ///   - now: Returns the date to compare `Retry-After` with if the response has no `Date`.
    public init(
        maxAttempts: Int = 3,
        baseDelay: Duration = .milliseconds(500),
        maxDelay: Duration = .seconds(30),
        maxRetryAfter: Duration? = nil,
        statuses: Set<Int> = Retry.statuses,
        unless exclusion: @escaping @Sendable (Outcome) -> Bool = { _ in false },
        alsoWhen rule: @escaping @Sendable (Outcome) -> Bool = { _ in false },
        delay: @escaping @Sendable (Outcome) -> Duration? = { _ in nil },
        clock: any Clock<Duration> = ContinuousClock(),
        jitter: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.maxAttempts = maxAttempts
        self.baseDelay = max(.zero, baseDelay.bounded)
        self.maxDelay = max(.zero, maxDelay.bounded)
        self.maxRetryAfter = maxRetryAfter.map { max(.zero, $0.bounded) } ?? self.maxDelay
        self.statuses = statuses
        unless = exclusion
        alsoWhen = rule
        ownDelay = delay
        self.clock = clock
        self.jitter = jitter
        self.now = now
    }

    /// Sends a request until it succeeds, until it must not be sent again, or until the last
    /// attempt.
    public func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        var (call, attempt) = (call, 1)
        while true {
            let result = await Result.of { [call] in try await next(call) }
            guard let again = call.repeated(),
                let delay = self.delay(after: Outcome(of: again, result), attempt: attempt)
            else { return try result.get() }
            if case .success(let response) = result { response.stream?.cancel() }
            (call, attempt) = (again, attempt + 1)
            try await clock.sleep(
                for: delay,
                as: .delay { [call, attempt] in
                    "Retry, before attempt \(attempt) of \(Redaction.masked(call.request))"
                })
        }
    }

    /// The delay before the next attempt, or `nil` if there is none.
    private func delay(after outcome: Outcome, attempt: Int) -> Duration? {
        guard attempt < maxAttempts, outcome.call.hasRepeatableBody,
            !(outcome.error is CancellationError), !outcome.hasExcessiveBody,
            outcome.isTemporary(statuses) || alsoWhen(outcome)
        else { return nil }
        let own = ownDelay(outcome).map { max(.zero, $0) }
        let requested = own ?? outcome.response?.retryDelay(from: now())
        let delay = requested ?? backoff(after: attempt)
        guard requested == nil || delay <= maxRetryAfter,
            outcome.call.timeLeft.map({ delay < $0 }) ?? true,
            // Last, because it may count the attempts that it permits.
            !unless(outcome)
        else { return nil }
        return delay
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
