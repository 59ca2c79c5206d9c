/// The tokens of one provider, with refreshes that all calls share.
final class TokenRefresher: Sendable {
    private struct WeakToken {
        weak var token: SharedToken?
    }

    /// The token of the last attempt of a call, or `nil` if it had none.
    private struct SentToken {
        let token: SharedToken?
    }

    /// The tokens that the current task is refreshing, because one refresh can start another.
    @TaskLocal private static var tokensInRefresh: Set<SharedToken> = []

    private let provider: any TokenProvider
    private let tokens = Locked<[SharedToken.Credential: WeakToken]>([:])
    private let refreshes = SingleFlight<SharedToken, SharedToken?>(cancelsWhenAbandoned: false)

    init(_ provider: any TokenProvider) {
        self.provider = provider
    }

    /// Returns the token for an attempt of a call, or `nil` to send none.
    ///
    /// All attempts of a call use one account. If the first attempt has no token, no later attempt
    /// has one.
    func token(for call: APICall) async throws -> SharedToken? {
        // A refresh may end while `credential()` still returns the old token. Retain the known
        // tokens, so that the result of the refresh is still available then.
        let retained = tokens.withLock { $0.values.compactMap(\.token) }
        defer { withExtendedLifetime(retained) {} }
        let current = try await credential()
        return call.shared.withLock { shared in
            var token: SharedToken?
            if let sent = shared[ObjectIdentifier(self)] as? SentToken {
                token = sent.token?.latest
                if let current, let previous = sent.token, current.mayReplace(previous.credential) {
                    token = sharedToken(current)
                }
            } else {
                token = current.map(sharedToken)
            }
            shared[ObjectIdentifier(self)] = SentToken(token: token)
            return token
        }
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
        let tokensInRefresh = Self.tokensInRefresh
        guard !tokensInRefresh.contains(token) else { return nil }
        let refresh = { @Sendable [self] in
            try await refreshes.run(token) {
                try await Self.$tokensInRefresh.withValue(tokensInRefresh.union([token])) {
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
        token.isRefreshing.withLock { $0 = true }
        let result = await Result.of { try await newCredential(replacing: token.credential) }
        return tokens.withLock { tokens in
            var newToken: SharedToken?
            if case .success(let credential?) = result {
                // The provider may return an older token again. Treat it as a new token without a
                // replacement.
                newToken = Self.sharedToken(credential, in: &tokens) { shared in
                    shared !== token && shared.replacement.withLock { $0 == nil }
                }
            } else {
                // Later calls with the token start another refresh.
                tokens[token.credential] = nil
            }
            let replacement = result.map { _ in newToken }
            token.replacement.withLock { $0 = replacement }
            return replacement
        }
    }

    private func newCredential(
        replacing refused: SharedToken.Credential
    ) async throws -> SharedToken.Credential? {
        var current = try await credential()
        if current == refused {
            guard let token = try await provider.refresh(replacing: refused.token) else {
                return nil
            }
            if refused.account == nil { return SharedToken.Credential(token: token, account: nil) }
            // The refresh returns no account, and another user may have signed in.
            current = try await credential()
        }
        return current.flatMap { $0.mayReplace(refused) ? $0 : nil }
    }

    private func sharedToken(_ credential: SharedToken.Credential) -> SharedToken {
        tokens.withLock { Self.sharedToken(credential, in: &$0) { _ in true } }
    }

    private static func sharedToken(
        _ credential: SharedToken.Credential,
        in tokens: inout [SharedToken.Credential: WeakToken],
        where isUsable: (SharedToken) -> Bool
    ) -> SharedToken {
        if let token = tokens[credential]?.token, isUsable(token) { return token }
        let token = SharedToken(credential)
        tokens = tokens.filter { $0.value.token != nil }
        tokens[credential] = WeakToken(token: token)
        return token
    }

    private func credential() async throws -> SharedToken.Credential? {
        if let provider = provider as? any AccountTokenProvider {
            return try await provider.accountToken().map(SharedToken.Credential.init)
        }
        return try await provider.token().map { SharedToken.Credential(token: $0, account: nil) }
    }
}
