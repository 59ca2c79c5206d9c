/// Reports progress to a handler, one step at a time.
///
/// The byte count never decreases, except in the final step.
final class ProgressReporter: Sendable {
    private let handler: @Sendable (TransferProgress) -> Void
    // The lock is held while the handler runs, so that its calls never overlap.
    private let completed = Locked(-1)

    init(_ handler: @escaping @Sendable (TransferProgress) -> Void) {
        self.handler = handler
    }

    /// Runs a transfer, and returns after the handler has received its last step.
    ///
    /// The handler runs on its actor, or else on any thread, and does not delay the transfer. After
    /// the transfer fails, the handler receives no further step.
    static func run<Output>(
        reportingTo handler: ProgressHandler?, _ transfer: (ProgressReporter) async throws -> Output
    ) async throws -> Output {
        guard let handler else { return try await transfer(ProgressReporter { _ in }) }
        let (steps, continuation) = AsyncStream.makeStream(of: TransferProgress.self)
        let reports = Task {
            for await step in steps { await handler(step) }
        }
        do {
            let output = try await transfer(ProgressReporter { continuation.yield($0) })
            continuation.finish()
            await reports.value
            return output
        } catch {
            reports.cancel()
            throw error
        }
    }

    /// Reports a step if it exceeds the previous step or is the final step.
    func update(_ progress: TransferProgress) {
        completed.withLock { completed in
            let bytes = progress.completedBytes
            guard bytes > completed || bytes == progress.totalBytes && bytes != completed else {
                return
            }
            completed = bytes
            handler(progress)
        }
    }
}
