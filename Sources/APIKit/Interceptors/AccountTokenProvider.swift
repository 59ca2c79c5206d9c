/// A source of bearer tokens that also names the account of each token.
///
/// ``BearerAuthentication`` sends a call only under the account that it started under. The account
/// distinguishes a new token of the same user from the token of another user.
///
/// ```swift
/// actor Tokens: AccountTokenProvider {
///     private var session: Session?
///
///     func accountToken() -> (token: String, account: String)? {
///         session.map { ($0.token, $0.userID) }
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
