/// Reports progress to a handler, one step at a time, and backwards only in a final step.
final class ProgressReporter: Sendable {
    private let handler: @Sendable (TransferProgress) -> Void
    // The lock is held while the handler runs, so that its calls never overlap.
    private let completed = Locked(-1)

    init(_ handler: @escaping @Sendable (TransferProgress) -> Void) {
        self.handler = handler
    }

    /// Reports a step if it exceeds the previous one or is the final step.
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
