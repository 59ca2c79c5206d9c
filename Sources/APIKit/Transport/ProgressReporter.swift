/// Reports progress to a closure, one step at a time and never backwards.
final class ProgressReporter: Sendable {
    private let tell: @Sendable (TransferProgress) -> Void
    // Held while the closure of the user runs, so that it is never called twice at once.
    private let completed = Locked(-1)

    init(_ tell: @escaping @Sendable (TransferProgress) -> Void) {
        self.tell = tell
    }

    /// Tells of a step, unless a further one has been told of; of the end in any case.
    func update(_ progress: TransferProgress) {
        completed.withLock { completed in
            let bytes = progress.completedBytes
            guard bytes > completed || bytes == progress.totalBytes && bytes != completed else {
                return
            }
            completed = bytes
            tell(progress)
        }
    }
}
