/// A source of bearer tokens.
///
/// ``BearerAuthentication`` asks it from any number of tasks at the same time, so an actor is the
/// natural form. A refresh may send its request through the same client: a refusal that it meets
/// there is its answer, and nothing waits for itself.
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
public protocol TokenProvider: Sendable {
    /// Returns the token to send, or `nil` to send none.
    ///
    /// It is asked once for each call, and once more before each refresh, so the answer should be
    /// at hand. An error ends the call as itself.
    func token() async throws -> String?

    /// Gets a new token after the server has refused one.
    ///
    /// From when this returns, ``token()`` returns the new token as well; that is how a call that
    /// is refused late learns that there is nothing left to do. For one token there is never more
    /// than one refresh at a time, and its task is not cancelled with the calls that wait for it.
    ///
    /// - Parameter token: The token that was refused.
    /// - Returns: The new token, or `nil` if there is none to be had, which is the default.
    /// - Throws: What kept the new token away; it fails every call that was in the air.
    func refresh(replacing token: String) async throws -> String?
}

extension TokenProvider {
    /// Returns `nil`: a token that was refused cannot be replaced.
    public func refresh(replacing token: String) async throws -> String? { nil }
}
