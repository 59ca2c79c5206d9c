import Foundation

/// An interceptor that limits the time of a call or of each attempt.
///
/// As the outermost interceptor, it limits the whole call, including delays and further attempts.
/// As the innermost, it limits each attempt. The timeout of a `URLRequest` limits only the time
/// between two arrivals of data. When the time is up, `Deadline` cancels the inner interceptors and
/// the transport, and throws an ``APIError`` of kind ``APIError/Kind/deadline`` once they return. A
/// `URLSession` returns at once. The error has the last response that the call received, with its
/// body, or the error of a later attempt. A stream that is not read to its end in time throws an
/// error of that kind too.
///
/// An inner ``Retry`` returns a response or an error at once if its delay would last until the
/// deadline.
public struct Deadline: APIInterceptor {
    private let duration: Duration
    private let clock: any Clock<Duration>

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - duration: The time limit. A limit of zero or less fails the call at once.
    ///   - clock: The clock that measures the time.
    public init(_ duration: Duration, clock: any Clock<Duration> = ContinuousClock()) {
        self.duration = duration.bounded
        self.clock = clock
    }

    /// Sends a call, and cancels it when the time is up.
    public func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        // Swift 6.3 does not open the existential of a stored property here.
        let clock = clock
        return try await intercept(call, on: clock, next)
    }

    private func intercept<Body: Sendable>(
        _ call: APICall, on clock: some Clock<Duration>, _ next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        let deadline = clock.now.advanced(by: duration)
        let purpose = SleepPurpose.limit { "Deadline of \(Redaction.masked(call.request))" }
        call.context.withLock { $0.last = $0.last ?? APIError(.deadline) }
        var call = call
        call.deadline = { [outer = call.deadline] in
            min(clock.now.duration(to: deadline), outer?() ?? .longest)
        }
        let response = try await clock.limiting(until: deadline, as: purpose) {
            // The error omits this request, which may hold a token. ``CallRun`` adds the request
            // that the interceptors received, and what the last attempt returned.
            APIError(.deadline)
        } _: { [call] in
            try await next(call)
        }
        if let stream = response.stream {
            // A weak reference, so that a stream ends when it is released.
            let cancelAlarm = clock.alarm(at: deadline, as: purpose) {
                [weak reading = stream.reading, context = stream.context] failure in
                let late = APIError(.deadline, request: context?.request, response: context?.http)
                reading?.end(.failure(failure ?? late))
            }
            stream.onEnd { _ in cancelAlarm() }
        }
        return response
    }
}
