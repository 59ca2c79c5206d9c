/// A source of bearer tokens.
///
/// ``BearerAuthentication`` calls it from many tasks at once, so an actor is a natural choice. A
/// refresh can send its request through the same client, in its own task or in a child task. If the
/// server refuses that request with 401, the refresh receives the 401.
///
/// ```swift
/// actor Tokens: TokenProvider {
///     private var signIn: SignIn
///
///     init(_ signIn: SignIn) { self.signIn = signIn }
///
///     func token() -> String? { signIn.token }
///
///     func refresh(replacing token: String) async throws -> String? {
///         signIn = try await client.load(RenewSignIn(), with: signIn.refreshToken)
///         return signIn.token
///     }
/// }
/// ```
///
/// Conform to ``AccountTokenProvider`` if several accounts can sign in, if ``token()`` replaces
/// tokens before the server refuses them, or if several clients share the provider. Without an
/// account, a call fails with its 401 if anything other than its own refresh replaced its token.
public protocol TokenProvider: Sendable {
    /// Returns the token to send, or `nil` to send none.
    ///
    /// It is called for each attempt of a call, and before and after a refresh, so return quickly.
    /// The call throws an error of this method unchanged.
    func token() async throws -> String?

    /// Returns a new token after the server refuses one.
    ///
    /// Once this method returns, ``token()`` must return the new token as well. A token has at most
    /// one refresh at a time. Canceling the calls that wait for a refresh does not cancel it.
    ///
    /// - Parameter token: The refused token.
    /// - Returns: A new token of the same account, or `nil` if there is none. The default
    ///   implementation returns `nil`.
    /// - Throws: An error. Every call that was sent with the token throws it.
    func refresh(replacing token: String) async throws -> String?
}

extension TokenProvider {
    /// Returns `nil`: a refused token has no replacement.
    public func refresh(replacing token: String) async throws -> String? { nil }
}

/// A source of bearer tokens that also names the account of each token.
///
/// ``BearerAuthentication`` sends a call only under the account that it started under. The account
/// distinguishes a new token of the same user from the token of another user.
///
/// ```swift
/// actor Tokens: AccountTokenProvider {
///     private var signIn: SignIn?
///
///     func accountToken() -> (token: String, account: String)? {
///         signIn.map { ($0.token, $0.userID) }
///     }
/// }
/// ```
public protocol AccountTokenProvider: TokenProvider {
    /// Returns the token to send and its account, or `nil` to send no token.
    ///
    /// It is called instead of ``TokenProvider/token()``. Read the token and the account together:
    /// do not suspend between the two reads.
    ///
    /// - Returns: The token, and a unique identifier of its account, such as a user ID.
    func accountToken() async throws -> (token: String, account: String)?
}

extension AccountTokenProvider {
    /// Returns the token without its account.
    public func token() async throws -> String? { try await accountToken()?.token }
}

/// A provider that keeps one token, and fetches a new one if it has none or the server refuses it.
final class FetchedToken: TokenProvider {
    private struct Key: Hashable {}

    private let current: Locked<String?>
    private let fetches = SingleFlight<Key, String?>(cancelsWhenAbandoned: true)
    private let fetch: @Sendable () async throws -> String?

    init(_ token: String?, fetch: @escaping @Sendable () async throws -> String?) {
        current = Locked(token)
        self.fetch = fetch
    }

    func token() async throws -> String? {
        if let token = current.withLock({ $0 }) { return token }
        return try await fetches.run(Key()) { [self] in
            // A flight that ended after the check may have set the token.
            if let token = current.withLock({ $0 }) { return token }
            return try await refresh(replacing: "")
        }
    }

    func refresh(replacing token: String) async throws -> String? {
        guard let token = try await fetch() else { return nil }
        current.withLock { $0 = token }
        return token
    }
}
