import Foundation

/// A provider that fetches a token, and replaces it before it expires.
///
/// All its tokens have one account, so a call may switch to a newer one.
final class ExpiringToken: AccountTokenProvider {
    private struct Key: Hashable {}

    private struct Fetched {
        let token: String
        let lifetime: Duration
        /// Returns the time since the fetch began.
        let age: @Sendable () -> Duration

        var timeLeft: Duration { lifetime - age() }
        var isNearItsEnd: Bool { timeLeft <= min(lifetime / 10, .seconds(60)) }
    }

    // A unique account, because a cache may serve several providers.
    private let account = UUID().uuidString
    private let current = Locked<(token: Fetched?, isRenewing: Bool)>((nil, false))
    private let fetches = SingleFlight<Key, String>(cancelsWhenAbandoned: false)
    private let clock: any Clock<Duration>
    private let fetch: @Sendable () async throws -> (token: String, lifetime: Duration)

    init(
        clock: any Clock<Duration>,
        fetch: @escaping @Sendable () async throws -> (token: String, lifetime: Duration)
    ) {
        self.clock = clock
        self.fetch = fetch
    }

    func accountToken() async throws -> (token: String, account: String)? {
        let known = current.withLock { $0.token }
        guard let known, known.timeLeft > .zero else {
            return (try await newToken(replacing: known?.token), account)
        }
        if known.isNearItsEnd { renew(known.token) }
        return (known.token, account)
    }

    func refresh(replacing token: String) async throws -> String? {
        try await newToken(replacing: token)
    }

    /// Starts a fetch that no call waits for.
    ///
    /// Its error is dropped: calls use the old token until it expires, and each starts another fetch.
    private func renew(_ old: String) {
        let isRenewing = current.withLock { current in
            defer { current.isRenewing = true }
            return current.isRenewing
        }
        guard !isRenewing else { return }
        Task.detached { [self] in
            _ = await Result.of { try await newToken(replacing: old) }
            current.withLock { $0.isRenewing = false }
        }
    }

    private func newToken(replacing old: String?) async throws -> String {
        try await fetches.run(Key()) { [self] in
            // A flight that ended after the check may have replaced the token.
            if let known = current.withLock({ $0.token }), known.token != old,
                known.timeLeft > .zero
            {
                return known.token
            }
            // Detached, because the task-local values of a call, such as its trace, are not those of the
            // fetch.
            return try await Task.detached { [self] in
                let clock = clock  // Swift does not open the existential of a stored property here.
                let age = stopwatch(clock)
                let (token, lifetime) = try await fetch()
                current.withLock {
                    $0.token = Fetched(token: token, lifetime: lifetime.bounded, age: age)
                }
                return token
            }.value
        }
    }
}
