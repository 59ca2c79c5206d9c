import Foundation

/// An interceptor that limits the number of requests in flight.
///
/// Further requests wait, and start in the order in which they arrived. With a limit for each host,
/// a request waits first for its host and then for the total, so a host at its limit does not delay
/// requests to other hosts. Canceling a waiting task ends its wait at once. The limits cover all
/// calls through one instance, including calls of copied clients, so keep one instance.
///
/// A stream counts until it is read to its end, canceled or released, or until it fails.
///
/// Place it innermost, so that a call does not count while it waits for a retry or for a token. An
/// inner interceptor that waits for a second call through the same limit can wait forever.
public final class ConcurrencyLimit: APIInterceptor {
    private let total: Semaphore
    private let perHost: Int
    /// The semaphore of each host, and the number of its calls, waiting or in flight.
    private let hosts = Locked<[String: (semaphore: Semaphore, calls: Int)]>([:])

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - total: The maximum number of requests in flight. A number below one counts as one.
    ///   - perHost: The maximum number of requests in flight to one host. A number below one counts
    ///     as one. The default is the total.
    public init(_ total: Int, perHost: Int? = nil) {
        self.total = Semaphore(max(1, total))
        // Without a limit for each host, all requests wait for the total, in one order.
        self.perHost = perHost.map { max(1, $0) } ?? .max
    }

    /// Sends a call as soon as the limits allow it.
    ///
    /// - Throws: The error of `next`, or `CancellationError`.
    public func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        let host = call.request.url?.host?.lowercased() ?? ""
        let semaphore = add(host)
        let entry = Release { self.remove(host) }
        try await semaphore.acquire()
        let permit = Release { semaphore.release() }
        try await total.acquire()
        let totalPermit = Release { [total] in total.release() }
        let response = try await next(call)
        response.onEnd { _ in withExtendedLifetime((entry, permit, totalPermit)) {} }
        return response
    }

    /// Adds a call to its host.
    private func add(_ host: String) -> Semaphore {
        hosts.withLock { hosts in
            let entry = hosts[host] ?? (Semaphore(perHost), 0)
            hosts[host] = (entry.semaphore, entry.calls + 1)
            return entry.semaphore
        }
    }

    /// Subtracts a call from its host, and removes the host after its last call.
    private func remove(_ host: String) {
        hosts.withLock { hosts in
            guard let entry = hosts[host] else { return }
            hosts[host] = entry.calls == 1 ? nil : (entry.semaphore, entry.calls - 1)
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
