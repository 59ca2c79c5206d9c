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
    /// Whether the refresh of the token has begun.
    let isRefreshing = Locked(false)
    let outcome = Locked<Outcome?>(nil)

    /// The batch of the newest token that refreshes have replaced this one with.
    var newest: TokenBatch {
        var batch = self
        while case .success(let successor?) = batch.outcome.withLock({ $0 }) { batch = successor }
        return batch
    }

    init(_ credential: Credential) {
        self.credential = credential
    }

    static func == (first: TokenBatch, second: TokenBatch) -> Bool { first === second }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
