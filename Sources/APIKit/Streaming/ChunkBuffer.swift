import Foundation

/// A queue of the chunks of a stream that were not read yet.
///
/// The loading system cannot be slowed down on every platform: on Linux a data task that is
/// suspended starts all over. So what a slow reader has no use for yet waits, in memory as far as
/// there is room, and then in a file.
package final class ChunkBuffer: ByteSource {
    fileprivate struct State {
        var chunks: [Data] = []
        /// How many of the chunks have been read.
        var readCount = 0
        var byteCount = 0
        var spill: SpillFile?
        var end: Result<Void, any Error>?
        var readers: [Waiter<Data?>] = []
    }

    private let limit: Int
    private let state = Locked(State())

    /// Creates a buffer.
    ///
    /// - Parameter limit: How many bytes wait in memory, apart from one chunk.
    package init(limit: Int = 1 << 20) {
        self.limit = limit
    }

    /// How many bytes wait in memory.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// Adds a chunk, unless the buffer has been finished; one task at a time adds.
    package func append(_ chunk: Data) {
        guard !chunk.isEmpty else { return }
        while let reader = firstReader(orKeep: chunk) {
            if reader.answer(.success(chunk)) { return }
        }
    }

    /// Returns who waits for a chunk, which is kept if nobody does.
    private func firstReader(orKeep chunk: Data) -> Waiter<Data?>? {
        state.withLock { state in
            guard state.end == nil else { return nil }
            guard state.readers.isEmpty else { return state.readers.removeFirst() }
            do {
                try state.keep(chunk, limit: limit)
            } catch {
                // What cannot be kept cannot be left out either.
                state.end = .failure(error)
            }
            return nil
        }
    }

    /// Ends the buffer: what is in it is still read, and then the end.
    package func finish(_ end: Result<Void, any Error>) {
        let readers = state.withLock { state in
            guard state.end == nil else { return [Waiter<Data?>]() }
            state.end = end
            defer { state.readers = [] }
            return state.readers
        }
        for reader in readers { reader.answer(end.map { nil }) }
    }

    /// Drops what is in the buffer.
    func removeAll() {
        state.withLock { $0 = State(end: $0.end, readers: $0.readers) }
    }

    /// Waits for the next chunk and takes it; `nil` is the end.
    package func next() async throws -> Data? {
        try Task.checkCancellation()
        let reader = Waiter<Data?>()
        let answer = state.withLock { state -> Result<Data?, any Error>? in
            do {
                if let chunk = try state.takeFirst() { return .success(chunk) }
            } catch {
                state.end = .failure(error)
            }
            if let end = state.end { return end.map { nil } }
            state.readers.append(reader)
            return nil
        }
        if let answer { return try answer.get() }
        return try await withTaskCancellationHandler {
            try await reader.value
        } onCancel: {
            reader.answer(.failure(CancellationError()))
        }
    }

    /// Takes the chunks that are in memory, joined.
    func takeAll() -> Data {
        state.withLock { state in
            var data = Data(capacity: state.byteCount)
            for chunk in state.chunks[state.readCount...] { data += chunk }
            state = State(end: state.end, readers: state.readers)
            return data
        }
    }

    /// Drops what is in the buffer, and what might be added.
    package func cancel() {
        finish(.failure(CancellationError()))
        removeAll()
    }
}

extension ChunkBuffer.State {
    fileprivate mutating func keep(_ chunk: Data, limit: Int) throws {
        if byteCount < limit, spill?.isEmpty ?? true {
            chunks.append(chunk)
            byteCount += chunk.count
        } else {
            let file = spill ?? SpillFile()
            spill = file
            try file.append(chunk)
        }
    }

    fileprivate mutating func takeFirst() throws -> Data? {
        guard readCount < chunks.count else {
            guard let spill, !spill.isEmpty else { return nil }
            return try spill.next()
        }
        let chunk = chunks[readCount]
        // A chunk that was read gives its memory back at once, and its place now and then.
        chunks[readCount] = Data()
        readCount += 1
        byteCount -= chunk.count
        if readCount == chunks.count || readCount > 1_024 {
            chunks.removeFirst(readCount)
            readCount = 0
        }
        return chunk
    }
}
