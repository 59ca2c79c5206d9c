import APIKit

/// A provider of tokens whose refreshes a test scripts.
final class StubTokens: TokenProvider {
    private let current: Locked<String?>
    private let replaced = Locked<[String]>([])
    private let renew: @Sendable (String) async throws -> String?

    /// The refused tokens, in order.
    var refreshes: [String] { replaced.current }

    /// The current token.
    var newest: String? { current.current }

    /// Creates a provider that refreshes a token with a closure.
    init(
        _ token: String?,
        renew: @escaping @Sendable (String) async throws -> String? = { _ in nil }
    ) {
        current = Locked(token)
        self.renew = renew
    }

    func token() async throws -> String? { newest }

    func refresh(replacing token: String) async throws -> String? {
        replaced.withLock { $0.append(token) }
        let fresh = try await renew(token)
        if let fresh { use(fresh) }
        return fresh
    }

    func use(_ token: String?) {
        current.withLock { $0 = token }
    }
}

/// A provider with accounts, whose refreshes a test scripts.
final class StubAccounts: AccountTokenProvider {
    typealias Pair = (token: String, account: String)

    private let current: Locked<Pair?>
    private let replaced = Locked<[String]>([])
    private let renew: @Sendable (String) async throws -> String?

    /// The refused tokens, in order.
    var refreshes: [String] { replaced.current }

    init(
        _ token: String, of account: String,
        renew: @escaping @Sendable (String) async throws -> String? = { _ in nil }
    ) {
        current = Locked((token, account))
        self.renew = renew
    }

    func accountToken() async throws -> Pair? { current.current }

    func refresh(replacing token: String) async throws -> String? {
        replaced.withLock { $0.append(token) }
        let fresh = try await renew(token)
        current.withLock { current in
            // A refresh must not undo a sign-in that happened during it.
            if let fresh, current?.token == token { current?.token = fresh }
        }
        return fresh
    }

    func use(_ token: String, of account: String) {
        current.withLock { $0 = (token, account) }
    }

    func signOut() {
        current.withLock { $0 = nil }
    }
}
