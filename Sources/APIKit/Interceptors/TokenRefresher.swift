/// The tokens of one provider, with refreshes that all calls share.
final class TokenRefresher: Sendable {
    private typealias Credential = SharedToken.Credential

    /// The token of the last attempt of a call, or `nil` if it had none.
    private struct SentToken {
        let token: SharedToken?
    }

    private struct Known {
        /// The last token of a call or of a refresh, which has no replacement.
        var newest: SharedToken?
        /// The token of the last refresh that has not failed.
        var replaced: SharedToken?

        /// Returns the known token with a credential, or a new one.
        mutating func token(_ credential: Credential, or other: SharedToken? = nil) -> SharedToken {
            for case let token? in [newest, other] where token.credential == credential {
                return token
            }
            let token = SharedToken(credential)
            newest = token
            return token
        }
    }

    /// The tokens that the current task is refreshing, because one refresh can start another.
    @TaskLocal private static var ownRefreshes: Set<Credential> = []

    private let provider: any TokenProvider
    private let known = Locked(Known())
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
        let earlier = known.withLock { $0.replaced }
        let current = try await credential()
        func sharedToken(_ credential: Credential) -> SharedToken {
            known.withLock {
                $0.token(credential, or: $0.replaced === earlier ? nil : $0.replaced)
            }
        }
        return call.context.withLock { state in
            var token: SharedToken?
            if let sent = state.values[ObjectIdentifier(self)] as? SentToken {
                token = sent.token?.latest
                if let current, let previous = sent.token, current.mayReplace(previous.credential) {
                    token = sharedToken(current)
                }
            } else {
                token = current.map(sharedToken)
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
        let replacement = known.withLock { known in
            // A later call with the same token starts another refresh.
            if known.newest === token { known.newest = nil }
            // Not a token with an error, which nothing keeps longer than its calls.
            if case .success = result { known.replaced = token }
            return result.map { $0.map { known.token($0) } }
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

    private func credential() async throws -> Credential? {
        if let provider = provider as? any AccountTokenProvider {
            return try await provider.accountToken().map(Credential.init)
        }
        return try await provider.token().map { Credential(token: $0, account: nil) }
    }
}
