import Foundation

/// An interceptor that sends a request again when that may help and can do no harm.
///
/// It tells three kinds of failures apart:
/// - The request never left, as when the host cannot be found: any request is sent again.
/// - The server says that it does not serve it now, by a 429: any request is sent again.
/// - The request may have arrived, as when the connection was lost, the ``Deadline`` of one attempt
///   ran out, or by a 408, 500, 502, 503 or 504: it is sent again only where twice is the same as
///   once. That is so for GET, HEAD, OPTIONS, TRACE, PUT and DELETE (RFC 9110, section 9.2.2), and
///   for a request with an `Idempotency-Key`.
///
/// Failures of the transport are told apart by the code of a `URLError`; one with another underlying
/// error is not sent again. Neither is a request whose response breaks the rules of HTTP or cannot be
/// decoded, since the server would send the same again.
///
/// A request whose body is a stream is never sent again, as the stream can be read only once.
/// Everything else, cancellation above all, is passed on as it is, and so is the last failure.
///
/// Before each further attempt it waits as long as `Retry-After` asks for, in seconds or until a
/// date. A date counts from the `Date` of the response if there is one, so the clock of the device
/// may be wrong. Without `Retry-After`, or with a date that has passed, the wait is an exponential
/// backoff with full jitter: a random time from zero to a limit that doubles with each attempt. If
/// the server asks for more than the longest delay, its response is returned at once. Cancelling
/// the task ends the wait at once.
///
/// It belongs outside of authentication, so that each attempt gets a token of its own, and inside of
/// a ``Deadline`` for the whole call. One call goes without by `client.without(Retry.self)`.
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
    ///   - maxAttempts: The number of times that a request is sent, at most. Less than one counts
    ///     as one.
    ///   - baseDelay: The longest delay before the second attempt; it doubles with each further one.
    ///   - maxDelay: The longest delay of all, also one that a server asks for. Both delays are at
    ///     least zero.
    ///   - clock: The clock that measures the delays.
    ///   - jitter: Returns the fraction of the limit to wait, from 0 through 1; a random one by
    ///     default. A number outside of that range counts as the nearest in it, and NaN as 1.
    ///   - now: Returns the date that `Retry-After` counts from if the response has no `Date`.
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

    /// Sends a request until it succeeds, may not be sent again, or was sent often enough.
    public func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body> {
        var attempt = 1
        while true {
            let delay: Duration
            do {
                let response = try await next(call)
                guard attempt < maxAttempts, call.request.mayBeSentAgain(after: response.http),
                    let wait = self.delay(after: response.http, attempt: attempt)
                else { return response }
                delay = wait
            } catch let error as APIError {
                guard attempt < maxAttempts, call.request.mayBeSentAgain(after: error) else {
                    throw error
                }
                delay = backoff(after: attempt)
            }
            try await clock.sleep(for: delay)
            attempt += 1
        }
    }

    /// How long to wait after a response, or `nil` if it asks for longer than is allowed.
    private func delay(after response: HTTPURLResponse, attempt: Int) -> Duration? {
        guard let asked = response.retryDelay(from: now()) else { return backoff(after: attempt) }
        return asked <= maxDelay ? asked : nil
    }

    private func backoff(after attempt: Int) -> Duration {
        // A shift by more would lose the bit.
        let factor: Int64 = 1 << min(attempt - 1, 60)
        // Divided, since a product may overflow.
        let limit = baseDelay < maxDelay / factor ? baseDelay * factor : maxDelay
        let jitter = jitter()
        return jitter < 1 ? limit * max(jitter, 0) : limit
    }
}

extension URLRequest {
    fileprivate func mayBeSentAgain(after response: HTTPURLResponse) -> Bool {
        guard httpBodyStream == nil else { return false }
        return switch response.statusCode {
        case 429: true
        case 408, 500, 502, 503, 504: isIdempotent
        default: false
        }
    }

    fileprivate func mayBeSentAgain(after error: APIError) -> Bool {
        guard httpBodyStream == nil else { return false }
        // The deadline of one attempt, as this one is outside of it.
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
