import Foundation

/// A source of chunks that come from a sequence of somebody else's.
final class SequenceSource: ByteSource {
    private struct State {
        var leave: (@Sendable () -> Void)?
        var isCancelled = false
    }

    private let makeNext: @Sendable (Waiter<Data?>) -> Task<Void, Never>
    private let state = Locked(State())

    init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == Data {
        let iterator = Iterator(chunks)
        makeNext = { waiter in
            Task {
                do {
                    waiter.answer(.success(try await iterator.next()))
                } catch {
                    waiter.answer(.failure(error))
                }
            }
        }
    }

    // In a task of its own, the wait for a chunk can be ended by whoever ends the stream. Nobody
    // waits for that task then: many a sequence ends as if that were all when it is cancelled, and
    // others do not care.
    func next() async throws -> Data? {
        try Task.checkCancellation()
        let waiter = Waiter<Data?>()
        let task = makeNext(waiter)
        let leave: @Sendable () -> Void = {
            waiter.answer(.failure(CancellationError()))
            task.cancel()
        }
        let isCancelled = state.withLock { state in
            state.leave = leave
            return state.isCancelled
        }
        if isCancelled { leave() }
        defer { state.withLock { $0.leave = nil } }
        return try await withTaskCancellationHandler(
            operation: { try await waiter.value }, onCancel: leave)
    }

    func cancel() {
        let leave = state.withLock { state in
            state.isCancelled = true
            return state.leave
        }
        leave?()
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
