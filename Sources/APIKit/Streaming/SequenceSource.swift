import Foundation

/// A source of chunks that come from a sequence of somebody else's.
final class SequenceSource: ByteSource {
    /// A wait for a chunk, and who waits for it unless that was given up.
    private struct Wait: Sendable {
        let task: Task<Void, Never>
        let waiter: Waiter<Data?>
    }

    private struct State {
        var wait: Wait?
        var isCancelled = false
    }

    private let read: @Sendable () async throws -> Data?
    private let state = Locked(State())

    init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == Data {
        let iterator = Iterator(chunks)
        read = { try await iterator.next() }
    }

    // In a task of its own, the wait for a chunk can be ended by whoever ends the stream. Nobody
    // waits for that task then: many a sequence ends as if that were all when it is cancelled, and
    // others do not care.
    func next() async throws -> Data? {
        try Task.checkCancellation()
        let waiter = try state.withLock { state in
            guard !state.isCancelled, state.wait == nil else { throw CancellationError() }
            let wait = startWait()
            state.wait = wait
            return wait.waiter
        }
        return try await withTaskCancellationHandler {
            try await waiter.value
        } onCancel: {
            cancel()
        }
    }

    func cancel() {
        let wait = state.withLock { state -> Wait? in
            guard !state.isCancelled else { return nil }
            state.isCancelled = true
            // A sequence hears that it was left from a wait that is cancelled, and only so.
            let wait = state.wait ?? startWait()
            state.wait = wait
            return wait
        }
        wait?.waiter.answer(.failure(CancellationError()))
        wait?.task.cancel()
    }

    // Making a task runs nothing of it, so it can be done behind the lock.
    private func startWait() -> Wait {
        let waiter = Waiter<Data?>()
        let task = Task { [self] in
            let result: Result<Data?, any Error>
            do {
                result = .success(try await read())
            } catch {
                result = .failure(error)
            }
            let isCancelled = state.withLock { state in
                state.wait = nil
                return state.isCancelled
            }
            waiter.answer(result)
            if isCancelled, case .success(.some) = result {
                // A chunk was there already, so the sequence has not heard of it. Nobody waits for
                // what it says then.
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try? await read()
            }
        }
        return Wait(task: task, waiter: waiter)
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
