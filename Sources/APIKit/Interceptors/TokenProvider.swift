/// A source of bearer tokens.
///
/// ``BearerAuthentication`` calls it from many tasks at once, so an actor is a natural choice. A
/// refresh can send its request through the same client, in its own task or in a child task. If the
/// server refuses that request with 401, the refresh receives the 401.
///
/// ```swift
/// actor Tokens: TokenProvider {
///     private var session: Session
///
///     func token() -> String? { session.token }
///
///     func refresh(replacing token: String) async throws -> String? {
///         session = try await client.load(RefreshSession(), with: session.refreshToken)
///         return session.token
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
