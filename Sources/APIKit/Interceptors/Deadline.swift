import Foundation

/// An interceptor that ends what is inside of it when its time is up.
///
/// As the outermost interceptor it limits the whole call, waits and further attempts included; as
/// the innermost, each attempt. (The timeout of a `URLRequest` limits only the time without news.)
/// When the time is up, what is inside is cancelled, and the call throws an ``APIError`` of kind
/// ``APIError/Kind/deadline`` as soon as that has let go. A `URLSession` lets go at once. A stream
/// has to be read to its end in time, or throws that error.
public struct Deadline: APIInterceptor {
    private let duration: Duration
    private let clock: any Clock<Duration>

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - duration: The time that the inside may take. Zero or less has passed at once.
    ///   - clock: The clock that measures the time.
    public init(_ duration: Duration, clock: any Clock<Duration> = ContinuousClock()) {
        self.duration = duration.bounded
        self.clock = clock
    }

    /// Sends a call on, and ends it when the time is up.
    public func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body> {
        let clock = clock
        let timeIsUp = alarm(after: duration, on: clock)
        let response = try await race {
            try await next(call)
        } _: {
            try await timeIsUp()
            // The client names the request: the one here may carry a token by now.
            throw APIError(.deadline)
        }
        if let stream = response.value as? ByteStream {
            // A stream that nobody has any longer must not wait for its deadline to end.
            let timer = Task { [weak reading = stream.reading, request = stream.context?.request] in
                try await timeIsUp()
                reading?.end(.failure(APIError(.deadline, request: request)))
            }
            stream.onEnd { _ in timer.cancel() }
        }
        return response
    }
}

/// Returns a wait that ends some time from now, however late it begins.
private func alarm(
    after duration: Duration, on clock: some Clock<Duration>
) -> @Sendable () async throws -> Void {
    let end = clock.now.advanced(by: duration)
    return { try await clock.sleep(until: end, tolerance: nil) }
}
