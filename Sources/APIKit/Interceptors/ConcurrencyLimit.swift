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
    private struct Candidate {
        let host: String
        let waiter = Waiter<Void>()
    }

    private struct State {
        var running = 0
        var runningByHost: [String: Int] = [:]
        var candidates: [Candidate] = []
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
    package var count: Int { state.withLock { $0.running + $0.candidates.count } }

    private func enter(_ host: String) async throws {
        try Task.checkCancellation()
        let candidate = Candidate(host: host)
        let mayStart = state.withLock { state in
            // Whoever waits was kept out by the same limits, so nobody is overtaken.
            guard hasPlace(for: host, in: state) else {
                state.candidates.append(candidate)
                return false
            }
            start(host, in: &state)
            return true
        }
        if mayStart { return }
        try await withTaskCancellationHandler {
            try await candidate.waiter.value
        } onCancel: {
            withdraw(candidate)
        }
    }

    private func withdraw(_ candidate: Candidate) {
        candidate.waiter.answer(.failure(CancellationError()))
        state.withLock { state in
            state.candidates.removeAll { $0.waiter === candidate.waiter }
        }
    }

    private func leave(_ host: String) {
        let started = state.withLock { state in
            state.running -= 1
            let left = (state.runningByHost[host] ?? 1) - 1
            state.runningByHost[host] = left == 0 ? nil : left
            var started: [Candidate] = []
            while let index = state.candidates.firstIndex(where: {
                hasPlace(for: $0.host, in: state)
            }) {
                let candidate = state.candidates.remove(at: index)
                start(candidate.host, in: &state)
                started.append(candidate)
            }
            return started
        }
        // A place that was given to a call as it was cancelled is given up again.
        for candidate in started where !candidate.waiter.answer(.success(())) {
            leave(candidate.host)
        }
    }

    private func hasPlace(for host: String, in state: State) -> Bool {
        state.running < total && state.runningByHost[host, default: 0] < perHost
    }

    private func start(_ host: String, in state: inout State) {
        state.running += 1
        state.runningByHost[host, default: 0] += 1
    }
}
