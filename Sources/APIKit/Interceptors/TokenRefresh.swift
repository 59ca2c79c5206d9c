/// The refresh of a provider's tokens, shared by all calls that need it.
final class TokenRefresh: Sendable {
    private struct Reference {
        weak var batch: TokenBatch?
    }

    /// The batches whose tokens the running task is refreshing, the refresh of one by another's.
    @TaskLocal private static var batchesInRefresh: Set<TokenBatch> = []

    private let provider: any TokenProvider
    private let batches = Locked<[TokenBatch.Credential: Reference]>([:])
    private let flights = SingleFlight<TokenBatch, TokenBatch?>(cancelsWhenAbandoned: false)

    init(_ provider: any TokenProvider) {
        self.provider = provider
    }

    /// Returns the batch with whose token an attempt of a call is sent, or `nil` without a token.
    func batch(for call: APICall) async throws -> TokenBatch? {
        // A refresh may end while the provider reads the old token. Its batch keeps the outcome.
        let batches = batches.withLock { $0.values.compactMap(\.batch) }
        defer { withExtendedLifetime(batches) {} }
        let current = try await credential()
        return call.tokenBatches.withLock { sent in
            let previous = sent[ObjectIdentifier(self)]
            let batch = previous.map { next(after: $0, current) } ?? current.map(batch(of:))
            sent.updateValue(batch, forKey: ObjectIdentifier(self))
            return batch
        }
    }

    /// Returns the batch of a further attempt, which is of the account of the first.
    private func next(
        after previous: TokenBatch?, _ current: TokenBatch.Credential?
    ) -> TokenBatch? {
        if let previous, let current,
            current == previous.credential || current.isOf(previous.credential)
        {
            return batch(of: current)
        }
        return previous?.newest
    }

    /// Returns the batch of the token that replaces a refused one, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - batch: The batch of the refused token.
    ///   - limit: The longest time to wait for the refresh, if there is one.
    /// - Returns: The batch, or `nil`.
    /// - Throws: What the refresh threw, `CancellationError`, or an ``APIError`` after the limit.
    func batch(
        replacing batch: TokenBatch, waitingAtMost limit: Duration?
    ) async throws -> TokenBatch? {
        // The request of the refresh itself was refused: it would wait for its own end.
        let batches = Self.batchesInRefresh
        guard !batches.contains(batch) else { return nil }
        let refresh = { @Sendable [self] in
            try await flights.run(batch) {
                try await Self.$batchesInRefresh.withValue(batches.union([batch])) {
                    try await self.refresh(batch).get()
                }
            }
        }
        guard let limit else { return try await refresh() }
        return try await race(refresh) {
            try await Task.sleep(for: limit)
            throw APIError(
                .invalidRequest(
                    """
                    the refresh of its token takes longer than the timeout of the request; a \
                    refresh that waits for this call waits for itself, so send the call with a \
                    client without BearerAuthentication
                    """))
        }
    }

    private func refresh(_ batch: TokenBatch) async -> TokenBatch.Outcome {
        if let outcome = batch.outcome.withLock({ $0 }) { return outcome }
        batch.isRefreshing.withLock { $0 = true }
        do {
            return settle(batch, .success(try await replacement(of: batch.credential)))
        } catch {
            return settle(batch, .failure(error))
        }
    }

    private func replacement(
        of refused: TokenBatch.Credential
    ) async throws -> TokenBatch.Credential? {
        var current = try await credential()
        if current == refused {
            guard let fresh = try await provider.refresh(replacing: refused.token) else {
                return nil
            }
            if refused.account == nil { return TokenBatch.Credential(token: fresh, account: nil) }
            // The refresh returns no account, and another user may have signed in.
            current = try await credential()
        }
        return current.flatMap { $0.isOf(refused) ? $0 : nil }
    }

    /// Stores the outcome of a refresh for all calls of its batch.
    private func settle(
        _ batch: TokenBatch, _ result: Result<TokenBatch.Credential?, any Error>
    ) -> TokenBatch.Outcome {
        batches.withLock { batches in
            let outcome: TokenBatch.Outcome
            if case .success(let fresh?) = result {
                outcome = .success(openBatch(of: fresh, except: batch, in: &batches))
            } else {
                outcome = result.map { _ in nil }
                // Calls that are sent from now on with the token try again.
                batches[batch.credential] = nil
            }
            batch.outcome.withLock { $0 = outcome }
            return outcome
        }
    }

    /// Returns the batch of the calls that are about to be sent with a token.
    private func batch(of credential: TokenBatch.Credential) -> TokenBatch {
        batches.withLock { batches in
            batches[credential]?.batch ?? makeBatch(of: credential, in: &batches)
        }
    }

    /// Returns a batch without an outcome: a token that returns after a refresh gets a new one.
    private func openBatch(
        of credential: TokenBatch.Credential, except settled: TokenBatch,
        in batches: inout [TokenBatch.Credential: Reference]
    ) -> TokenBatch {
        guard let batch = batches[credential]?.batch, batch !== settled,
            batch.outcome.withLock({ $0 == nil })
        else { return makeBatch(of: credential, in: &batches) }
        return batch
    }

    private func makeBatch(
        of credential: TokenBatch.Credential,
        in batches: inout [TokenBatch.Credential: Reference]
    ) -> TokenBatch {
        let batch = TokenBatch(credential)
        batches = batches.filter { $0.value.batch != nil }
        batches[credential] = Reference(batch: batch)
        return batch
    }

    private func credential() async throws -> TokenBatch.Credential? {
        guard let provider = provider as? any AccountTokenProvider else {
            return try await provider.token().map { TokenBatch.Credential(token: $0, account: nil) }
        }
        return try await provider.accountToken().map {
            TokenBatch.Credential(token: $0.token, account: $0.account)
        }
    }
}

extension TokenBatch.Credential {
    /// Whether both belong to one account, so that one may take the place of the other.
    fileprivate func isOf(_ other: Self) -> Bool { account != nil && account == other.account }
}
