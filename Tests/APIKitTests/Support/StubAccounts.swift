import APIKit

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
