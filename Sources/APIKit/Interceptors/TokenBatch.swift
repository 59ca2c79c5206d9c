/// The calls that are sent with one token.
///
/// It keeps the outcome of the token's refresh for calls whose refusal arrives later, and is
/// released with the last of them.
final class TokenBatch: Hashable, Sendable {
    /// A token, and the account that it belongs to, if its provider names it.
    struct Credential: Hashable {
        let token: String
        let account: String?
    }

    /// The batch of the new token, `nil` if there is none, or the error of the refresh.
    typealias Outcome = Result<TokenBatch?, any Error>

    let credential: Credential
    /// The refresh that the batch belongs to.
    let owner: ObjectIdentifier
    /// Whether the refresh of the token has begun.
    let isRefreshing = Locked(false)
    let outcome = Locked<Outcome?>(nil)

    init(_ credential: Credential, owner: ObjectIdentifier) {
        self.credential = credential
        self.owner = owner
    }

    static func == (first: TokenBatch, second: TokenBatch) -> Bool { first === second }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
