/// A source of bearer tokens.
///
/// ``BearerAuthentication`` asks it from any number of tasks at the same time, so an actor is the
/// natural form. A refresh may send its request through the same client, in its own task or in a
/// child task: if the server refuses that request with 401, the 401 is its response.
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
/// Conform to ``AccountTokenProvider`` if more than one account can sign in, if ``token()`` replaces
/// tokens before the server refuses them, or if several clients share the provider. Without an
/// account, a call fails with its 401 if anything but its own refresh has replaced its token.
public protocol TokenProvider: Sendable {
    /// Returns the token to send, or `nil` to send none.
    ///
    /// It is called for each attempt of a call, and before and after a refresh, so it should return
    /// quickly. An error ends the call as itself.
    func token() async throws -> String?

    /// Gets a new token after the server has refused one.
    ///
    /// From when this returns, ``token()`` returns the new token as well. For one token there is
    /// never more than one refresh at a time. Cancelling the calls that wait for a refresh does not
    /// cancel it.
    ///
    /// - Parameter token: The token that was refused.
    /// - Returns: A new token of the same account, or `nil` if there is none, which is the default.
    /// - Throws: The reason for the failure. It fails every call that was sent with the token.
    func refresh(replacing token: String) async throws -> String?
}

extension TokenProvider {
    /// Returns `nil`: a token that was refused cannot be replaced.
    public func refresh(replacing token: String) async throws -> String? { nil }
}
