/// The refresh of a provider's token, shared by all the calls that need it.
final class TokenRefresh: Sendable {
    /// The calls in the air with one token, up to the refresh of it that brought none.
    ///
    /// What became of that refresh is kept for those whose refusal is yet to arrive, and goes with
    /// the last of them.
    final class Batch: Hashable, Sendable {
        let token: String
        let outcome = Locked<Result<String?, any Error>?>(nil)

        init(token: String) {
            self.token = token
        }

        static func == (first: Batch, second: Batch) -> Bool { first === second }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private struct Reference {
        weak var batch: Batch?
    }

    /// The batches whose tokens the running task is refreshing, the refresh of one by another's.
    @TaskLocal private static var batchesInRefresh: Set<Batch> = []

    private let provider: any TokenProvider
    private let batches = Locked<[String: Reference]>([:])
    private let flights = SingleFlight<Batch, String?>(cancelsWhenAbandoned: false)

    init(_ provider: any TokenProvider) {
        self.provider = provider
    }

    /// Returns the batch of a call that is about to be sent with a token, for the call to keep.
    func batch(of token: String) -> Batch {
        batches.withLock { batches in
            if let batch = batches[token]?.batch { return batch }
            let batch = Batch(token: token)
            batches = batches.filter { $0.value.batch != nil }
            batches[token] = Reference(batch: batch)
            return batch
        }
    }

    /// Returns the token to send in place of the one that was refused, if there is one.
    ///
    /// - Throws: What the refresh threw, or `CancellationError`.
    func token(replacingThatOf batch: Batch) async throws -> String? {
        // The request of the refresh itself was refused: it would wait for its own end.
        let batches = Self.batchesInRefresh
        guard !batches.contains(batch) else { return nil }
        return try await flights.run(batch) { [self] in
            try await Self.$batchesInRefresh.withValue(batches.union([batch])) {
                try await renew(batch)
            }
        }
    }

    private func renew(_ batch: Batch) async throws -> String? {
        if let outcome = batch.outcome.withLock({ $0 }) { return try outcome.get() }
        do {
            // Another refresh may have brought a new token since this one was sent.
            let current = try await provider.token()
            guard current == batch.token else { return current }
            let fresh = try await provider.refresh(replacing: batch.token)
            if fresh == nil { close(batch, .success(nil)) }
            return fresh
        } catch {
            close(batch, .failure(error))
            throw error
        }
    }

    /// Has the calls of a batch share an outcome, and those sent from now on try again.
    private func close(_ batch: Batch, _ outcome: Result<String?, any Error>) {
        batches.withLock { $0[batch.token] = nil }
        batch.outcome.withLock { $0 = outcome }
    }
}
