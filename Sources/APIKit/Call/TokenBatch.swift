/// The calls that are sent with one token.
///
/// A batch stores the outcome of the token's refresh for calls that are refused later. It is
/// released with the last of its calls.
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

    /// The batch of the newest token in the chain of refreshes from this one.
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
