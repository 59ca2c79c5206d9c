/// The tokens of one provider, with refreshes that all calls share.
final class TokenRefresher: Sendable {
    private typealias Credential = SharedToken.Credential

    /// The token of the last attempt of a call, or `nil` if it had none.
    private struct SentToken {
        let token: SharedToken?
    }

    /// The tokens that the current task is refreshing, because one refresh can start another.
    @TaskLocal private static var ownRefreshes: Set<Credential> = []

    private let provider: any TokenProvider
    /// The last token of a call or of a refresh, which has no replacement.
    private let newest = Locked<SharedToken?>(nil)
    private let refreshing = Locked<Set<Credential>>([])
    private let refreshes = SingleFlight<Credential, SharedToken?>(cancelsWhenAbandoned: false)

    init(_ provider: any TokenProvider) {
        self.provider = provider
    }

    /// Returns the token for an attempt of a call, or `nil` to send none.
    ///
    /// All attempts of a call use one account. If the first attempt has no token, no later attempt
    /// has one.
    func token(for call: APICall) async throws -> SharedToken? {
        // A refresh may end while `credential()` still returns the old token.
        let earlier = newest.withLock { $0 }
        let current = try await credential()
        return call.context.withLock { state in
            var token: SharedToken?
            if let sent = state.values[ObjectIdentifier(self)] as? SentToken {
                token = sent.token?.latest
                if let current, let previous = sent.token, current.mayReplace(previous.credential) {
                    token = sharedToken(current, or: earlier)
                }
            } else {
                token = current.map { sharedToken($0, or: earlier) }
            }
            state.values[ObjectIdentifier(self)] = SentToken(token: token)
            return token
        }
    }

    /// Whether the refresh of a token has started and not ended.
    func isRefreshing(_ token: SharedToken) -> Bool {
        refreshing.withLock { $0.contains(token.credential) }
    }

    /// Returns the token that replaces a refused one, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - token: The refused token.
    ///   - timeout: The longest time to wait for the refresh, or `nil` for no limit.
    /// - Returns: The new token, or `nil`.
    /// - Throws: The error of the refresh, `CancellationError`, or an ``APIError`` after the
    ///   timeout.
    func replacement(of token: SharedToken, timeout: Duration?) async throws -> SharedToken? {
        // A refresh whose own request is refused would wait for itself.
        let ownRefreshes = Self.ownRefreshes
        guard !ownRefreshes.contains(token.credential) else { return nil }
        let refresh = { @Sendable [self] in
            try await refreshes.run(token.credential) {
                try await Self.$ownRefreshes.withValue(ownRefreshes.union([token.credential])) {
                    try await self.refresh(token).get()
                }
            }
        }
        guard let timeout else { return try await refresh() }
        let error = APIError(
            .invalidRequest(
                """
                the refresh of its token took longer than the timeout of the request; if the \
                refresh waits for this call, send the call with a client without \
                BearerAuthentication
                """))
        return try await ContinuousClock().limiting(
            until: .now.advanced(by: timeout), as: .limit { "Refresh of a token" },
            throwing: { error }, refresh)
    }

    private func refresh(_ token: SharedToken) async -> SharedToken.Replacement {
        if let replacement = token.replacement.withLock({ $0 }) { return replacement }
        refreshing.withLock { _ = $0.insert(token.credential) }
        let result = await Result.of { try await newCredential(replacing: token.credential) }
        let replacement = newest.withLock { newest in
            // A later call with the same token starts another refresh.
            if newest === token { newest = nil }
            return result.map { $0.map { Self.sharedToken($0, in: &newest) } }
        }
        token.replacement.withLock { $0 = replacement }
        refreshing.withLock { _ = $0.remove(token.credential) }
        return replacement
    }

    private func newCredential(replacing refused: Credential) async throws -> Credential? {
        var current = try await credential()
        if current == refused {
            guard let token = try await provider.refresh(replacing: refused.token) else {
                return nil
            }
            if refused.account == nil { return Credential(token: token, account: nil) }
            // The refresh returns no account, and another user may have signed in.
            current = try await credential()
        }
        return current.flatMap { $0.mayReplace(refused) ? $0 : nil }
    }

    private func sharedToken(_ credential: Credential, or earlier: SharedToken?) -> SharedToken {
        newest.withLock { Self.sharedToken(credential, in: &$0, or: earlier) }
    }

    private static func sharedToken(
        _ credential: Credential, in newest: inout SharedToken?, or earlier: SharedToken? = nil
    ) -> SharedToken {
        let known = [newest, earlier].compactMap(\.self)
        if let token = known.first(where: { $0.credential == credential }) { return token }
        let token = SharedToken(credential)
        newest = token
        return token
    }

    private func credential() async throws -> Credential? {
        if let provider = provider as? any AccountTokenProvider {
            return try await provider.accountToken().map(Credential.init)
        }
        return try await provider.token().map { Credential(token: $0, account: nil) }
    }
}
