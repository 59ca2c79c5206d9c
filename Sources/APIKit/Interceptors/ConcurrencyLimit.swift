import Foundation

/// An interceptor that limits how many requests are under way at once.
///
/// Further requests wait, and start in the order in which they arrived. With a limit for each host,
/// a request waits for its host first and then for the total, so a host at its limit does not delay
/// requests to other hosts. Cancelling a waiting task ends its wait at once. The limits cover all
/// calls through one instance, also those of copied clients, so keep the instance with the client.
///
/// A stream counts until it ends: when it has been read, cancelled or released, or has failed.
///
/// It belongs innermost: a call that waits for a retry or for a token then does not count. An
/// interceptor inside of it that waits for a second call through the same limit can wait forever.
public final class ConcurrencyLimit: APIInterceptor {
    private struct Host {
        let semaphore: Semaphore
        /// The number of calls that wait or are under way.
        var calls = 0
    }

    private let total: Semaphore
    private let perHost: Int
    private let hosts = Locked<[String: Host]>([:])

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - total: The number of requests that may be under way at once. Less than one counts as one.
    ///   - perHost: The number of requests to one host that may be under way at once. Less than one
    ///     counts as one. The default is the total.
    public init(_ total: Int, perHost: Int? = nil) {
        self.total = Semaphore(max(1, total))
        // Without this limit, all requests wait in one queue, so that their order is kept.
        self.perHost = perHost.map { max(1, $0) } ?? .max
    }

    /// Sends a call as soon as the limits allow it.
    ///
    /// - Throws: What `next` threw, or `CancellationError`.
    public func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body> {
        let host = call.request.url?.host?.lowercased() ?? ""
        try await enter(host)
        do {
            let response = try await next(call)
            if let stream = response.value as? ByteStream {
                stream.onEnd { _ in self.leave(host) }
            } else {
                leave(host)
            }
            return response
        } catch {
            leave(host)
            throw error
        }
    }

    private func enter(_ host: String) async throws {
        let semaphore = hosts.withLock { hosts in
            var entry = hosts[host] ?? Host(semaphore: Semaphore(perHost))
            entry.calls += 1
            hosts[host] = entry
            return entry.semaphore
        }
        do {
            try await semaphore.acquire()
        } catch {
            forget(host)
            throw error
        }
        do {
            try await total.acquire()
        } catch {
            forget(host)
            semaphore.release()
            throw error
        }
    }

    private func leave(_ host: String) {
        forget(host)?.release()
        total.release()
    }

    /// Removes the host with its last call.
    @discardableResult
    private func forget(_ host: String) -> Semaphore? {
        hosts.withLock { hosts in
            guard var entry = hosts[host] else { return nil }
            entry.calls -= 1
            hosts[host] = entry.calls == 0 ? nil : entry
            return entry.semaphore
        }
    }
}
