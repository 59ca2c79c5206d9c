/// A token that is sent with calls, and the result of its refresh.
///
/// Every call that sends the token retains it, so a 401 that arrives after the refresh still finds
/// the result.
final class SharedToken: Hashable, Sendable {
    /// A token, and the account that it belongs to if its provider names the account.
    struct Credential: Hashable {
        let token: String
        let account: String?

        /// Whether a call that was sent with the other credential may be sent with this one.
        func mayReplace(_ other: Self) -> Bool {
            self == other || account != nil && account == other.account
        }
    }

    /// The token that replaces this one, `nil` if there is none, or the error of the refresh.
    typealias Replacement = Result<SharedToken?, any Error>

    let credential: Credential
    /// Whether the refresh of the token has started.
    let isRefreshing = Locked(false)
    let replacement = Locked<Replacement?>(nil)

    /// The token at the end of the chain of replacements.
    var latest: SharedToken {
        var token = self
        while case .success(let next?) = token.replacement.withLock({ $0 }) { token = next }
        return token
    }

    init(_ credential: Credential) {
        self.credential = credential
    }

    static func == (first: SharedToken, second: SharedToken) -> Bool { first === second }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
