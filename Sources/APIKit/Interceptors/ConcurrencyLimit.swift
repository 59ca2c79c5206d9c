import Foundation

/// An interceptor that limits the number of requests in flight.
///
/// Further requests wait, and start in the order in which they arrived. With a limit for each host,
/// a request waits first for its host and then for the total, so a host at its limit does not delay
/// requests to other hosts. Canceling a waiting task ends its wait at once. The limits cover all
/// calls through one instance, including calls of copied clients, so keep one instance.
///
/// The queue has an end, because a server that is slow would otherwise fill the memory with waiting
/// calls. A call that would have to wait, and finds the queue full, throws an ``APIError`` of kind
/// ``APIError/Kind/overloaded`` at once. One queue counts the calls that wait for a host and for the
/// total. A call that has waited for its host keeps its place.
///
/// A stream counts until it is read to its end, canceled or released, or until it fails.
///
/// Place it innermost, so that a call does not count while it waits for a retry or for a token. An
/// inner interceptor that waits for a second call through the same limit can wait forever.
public final class ConcurrencyLimit: APIInterceptor {
    private let total: Semaphore
    private let perHost: Int
    private let maxWaiting: Int
    /// The number of waiting calls.
    private let waiting = Locked(0)
    /// The semaphore of each host, and the number of its calls, waiting or in flight.
    private let hosts = Locked<[String: (semaphore: Semaphore, calls: Int)]>([:])

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - total: The maximum number of requests in flight. A number below one counts as one.
    ///   - perHost: The maximum number of requests in flight to one host. A number below one counts
    ///     as one. The default is the total.
    ///   - waiting: The maximum number of waiting requests. With zero or less, none waits.
    public init(_ total: Int, perHost: Int? = nil, waiting: Int = 1_000) {
        self.total = Semaphore(max(1, total))
        // Without a limit for each host, all requests wait for the total, in one order.
        self.perHost = perHost.map { max(1, $0) } ?? .max
        maxWaiting = waiting
    }

    /// Sends a call as soon as the limits allow it.
    ///
    /// - Throws: The error of `next`, `CancellationError`, or an ``APIError`` of kind
    ///   ``APIError/Kind/overloaded``.
    public func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        let host = call.request.url?.host?.lowercased() ?? ""
        let semaphore = count(1, to: host)
        let entry = Release { self.count(-1, to: host) }
        var place: Release?
        try await semaphore.acquire { try takePlace(&place) }
        let permit = Release { semaphore.release() }
        try await total.acquire { try takePlace(&place) }
        let totalPermit = Release { [total] in total.release() }
        place = nil
        let response = try await next(call)
        response.onEnd { _ in withExtendedLifetime((entry, permit, totalPermit)) {} }
        return response
    }

    /// Takes a place in the queue, unless the call has one.
    private func takePlace(_ place: inout Release?) throws {
        guard place == nil else { return }
        try waiting.withLock { count in
            guard count < maxWaiting else { throw APIError(.overloaded) }
            count += 1
        }
        place = Release { [waiting] in waiting.withLock { $0 -= 1 } }
    }

    /// Changes the number of calls of a host, and removes the host after its last call.
    @discardableResult
    private func count(_ change: Int, to host: String) -> Semaphore {
        hosts.withLock { hosts in
            let (semaphore, calls) = hosts[host] ?? (Semaphore(perHost), 0)
            hosts[host] = calls + change == 0 ? nil : (semaphore, calls + change)
            return semaphore
        }
    }
}

/// Runs a closure when its last reference is released, however a call ends.
private final class Release: Sendable {
    private let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
        self.run = run
    }

    deinit { run() }
}
