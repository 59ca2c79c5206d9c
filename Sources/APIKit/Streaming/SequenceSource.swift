import Foundation

/// A source of chunks from any asynchronous sequence.
final class SequenceSource: ByteSource {
    /// A read of the next chunk, and the waiter for its result.
    private typealias Wait = (task: Task<Void, Never>, waiter: Waiter<Data?>)

    private struct State {
        var wait: Wait?
        var isCanceled = false
    }

    private let read: @Sendable () async throws -> Data?
    private let state = Locked(State())

    init(_ read: @escaping @Sendable () async throws -> Data?) { self.read = read }

    convenience init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks)
    where Chunks.Element == Data {
        // Only one task at a time uses it.
        nonisolated(unsafe) var iterator = chunks.makeAsyncIterator()
        self.init { try await iterator.next() }
    }

    // Each read runs in a separate task, so that `cancel()` can interrupt it. Do not await the canceled
    // task: many sequences end without an error when canceled, and others ignore cancellation.
    func next() async throws -> Data? {
        try Task.checkCancellation()
        guard let wait = state.withLock(startWait) else { throw CancellationError() }
        return try await wait.waiter.wait { cancel() }
    }

    func cancel() {
        let wait = state.withLock { state -> Wait? in
            // A sequence learns of cancellation only through a canceled `next()`.
            let wait = state.wait ?? startWait(&state)
            state.isCanceled = true
            return wait
        }
        wait?.waiter.answer(.failure(CancellationError()))
        wait?.task.cancel()
    }

    /// Starts a read, unless one waits already or the source has been canceled.
    private func startWait(_ state: inout State) -> Wait? {
        guard !state.isCanceled, state.wait == nil else { return nil }
        // Creating a task runs none of its code, so it is safe under the lock.
        let waiter = Waiter<Data?>()
        let task = Task { [self] in
            let result = await Result.of(read)
            let isCanceled = self.state.withLock { state in
                state.wait = nil
                return state.isCanceled
            }
            waiter.answer(result)
            if isCanceled, case .success(.some) = result {
                // The sequence returned a chunk and did not notice the cancellation. One more read
                // informs it, and the result is dropped.
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try? await read()
            }
        }
        let wait = (task, waiter)
        state.wait = wait
        return wait
    }
}
