import Foundation

/// An interceptor that lets only so many requests be under way at once.
///
/// The rest wait, first come first served; a request to a host that is at its own limit lets others
/// pass. Cancelling a task that waits ends its wait at once. The limit holds for all calls through
/// one instance, also by copies of its client, so keep it with the client.
///
/// A stream keeps its place until it ends: read whole, left early, broken or dropped.
///
/// It belongs innermost: a call that waits for a retry or for a token takes up no place.
public final class ConcurrencyLimit: APIInterceptor {
    private struct Waiter {
        let id: UInt64
        let host: String
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var running = 0
        var runningByHost: [String: Int] = [:]
        var waiters: [Waiter] = []
        /// The waiters that were cancelled before they began to wait.
        var cancelled: Set<UInt64> = []
        var nextID: UInt64 = 0
    }

    private let total: Int
    private let perHost: Int
    private let state = Locked(State())

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - total: How many requests may be under way at once, at least one.
    ///   - perHost: How many of them to one host, at least one; as many as in all if left out.
    public init(_ total: Int, perHost: Int? = nil) {
        self.total = max(1, total)
        self.perHost = max(1, perHost ?? total)
    }

    /// Sends a call on as soon as there is a place for it.
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

    /// How many calls are under way or wait.
    package var count: Int { state.withLock { $0.running + $0.waiters.count } }

    private func enter(_ host: String) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                add(Waiter(id: id, host: host, continuation: continuation))
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func add(_ waiter: Waiter) {
        let result = state.withLock { state -> Result<Void, any Error>? in
            if state.cancelled.contains(waiter.id) { return .failure(CancellationError()) }
            // Whoever waits was kept out by the same limits, so nobody is overtaken.
            guard hasPlace(for: waiter.host, in: state) else {
                state.waiters.append(waiter)
                return nil
            }
            start(waiter.host, in: &state)
            return .success(())
        }
        if let result { waiter.continuation.resume(with: result) }
    }

    private func cancel(_ id: UInt64) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    private func leave(_ host: String) {
        let started = state.withLock { state in
            state.running -= 1
            let left = (state.runningByHost[host] ?? 1) - 1
            state.runningByHost[host] = left == 0 ? nil : left
            var started: [Waiter] = []
            while let index = state.waiters.firstIndex(where: { hasPlace(for: $0.host, in: state) })
            {
                let waiter = state.waiters.remove(at: index)
                start(waiter.host, in: &state)
                started.append(waiter)
            }
            return started
        }
        for waiter in started { waiter.continuation.resume() }
    }

    private func hasPlace(for host: String, in state: State) -> Bool {
        state.running < total && state.runningByHost[host, default: 0] < perHost
    }

    private func start(_ host: String, in state: inout State) {
        state.running += 1
        state.runningByHost[host, default: 0] += 1
    }
}
