import Foundation

/// A source of chunks that come from a sequence of somebody else's.
final class SequenceSource: ByteSource {
    private let makeNext: @Sendable () -> Task<Data?, any Error>
    private let state = Locked<(task: Task<Data?, any Error>?, isCancelled: Bool)>((nil, false))

    init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == Data {
        let iterator = Iterator(chunks)
        makeNext = { Task { try await iterator.next() } }
    }

    // In a task of its own, the wait for a chunk can be ended by whoever ends the stream.
    func next() async throws -> Data? {
        try Task.checkCancellation()
        let task = try state.withLock { state in
            guard !state.isCancelled else { throw CancellationError() }
            // Making a task runs nothing of it, so it can be done behind the lock.
            let task = makeNext()
            state.task = task
            return task
        }
        defer { state.withLock { $0.task = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    func cancel() {
        let task = state.withLock { state -> Task<Data?, any Error>? in
            guard !state.isCancelled else { return nil }
            state.isCancelled = true
            // A sequence hears that it was left from a wait that is cancelled, and only so.
            return state.task ?? makeNext()
        }
        task?.cancel()
    }
}

extension SequenceSource {
    /// An iterator that one task at a time uses.
    private final class Iterator<Chunks: AsyncSequence>: @unchecked Sendable
    where Chunks.Element == Data {
        private var iterator: Chunks.AsyncIterator

        init(_ chunks: Chunks) {
            iterator = chunks.makeAsyncIterator()
        }

        func next() async throws -> Data? {
            try await iterator.next()
        }
    }
}
