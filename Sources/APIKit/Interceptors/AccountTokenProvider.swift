/// A source of bearer tokens that knows which account a token belongs to.
///
/// ``BearerAuthentication`` sends a call that began under one account under that account only. With
/// the account, it can tell a new token of the same user from the token of another user.
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
    /// Both belong together, so return them in one step. It is called in place of
    /// ``TokenProvider/token()``, as often and for the same purpose.
    ///
    /// - Returns: The token, and an identifier of the account that no other account has, such as a
    ///   user ID.
    func accountToken() async throws -> (token: String, account: String)?
}

extension AccountTokenProvider {
    /// Returns the token without its account.
    public func token() async throws -> String? { try await accountToken()?.token }
}
