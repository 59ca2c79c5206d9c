import Foundation

/// A queue of the unread chunks of a stream.
///
/// Not every platform can pause a load: on Linux a suspended data task restarts. So the queue buffers
/// unread chunks, in memory up to a limit and then in files.
package final class ChunkBuffer: ByteSource {
    fileprivate struct State {
        /// The number of unread bytes above which a reader receives joined chunks of this size.
        static let joinedSize = 1 << 18

        var chunks: [Data] = []
        /// The chunks before them, with the next one at the end.
        var nextChunks: [Data] = []
        var byteCount = 0
        var spill: SpillFile?
        var end: Result<Void, any Error>?
        /// The only waiting reader.
        var reader: Waiter<Data?>?
    }

    private let limit: Int?
    private let state = Locked(State())

    /// Creates a buffer.
    ///
    /// - Parameter limit: The number of bytes in memory above which further chunks go to files, or `nil`
    ///   to join all chunks in memory, for ``takeAll()``.
    package init(limit: Int? = 1 << 20) {
        self.limit = limit
    }

    /// The number of bytes in memory.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// Whether a reader waits, for tests.
    var hasReader: Bool { state.withLock { $0.reader != nil } }

    /// Appends a chunk unless the buffer has ended; concurrent calls are not allowed.
    package func append(_ chunk: Data) {
        guard !chunk.isEmpty else { return }
        // A reader that is canceled concurrently takes no chunk.
        while let reader = takeReader(orKeep: chunk) {
            if reader.answer(.success(chunk)) { return }
        }
    }

    /// Returns the waiting reader, or buffers the chunk if there is none.
    private func takeReader(orKeep chunk: Data) -> Waiter<Data?>? {
        state.withLock { state in
            guard state.end == nil else { return nil }
            if let reader = state.reader.take() { return reader }
            do {
                try state.keep(chunk, limit: limit)
            } catch {
                // A stream without this chunk would be incomplete.
                state.end = .failure(error)
            }
            return nil
        }
    }

    /// Ends the buffer, but keeps its unread chunks.
    package func finish(_ end: Result<Void, any Error>) {
        let reader = state.withLock { state -> Waiter<Data?>? in
            guard state.end == nil else { return nil }
            state.end = end
            return state.reader.take()
        }
        reader?.answer(end.map { nil })
    }

    /// Drops the buffered chunks.
    func removeAll() {
        state.withLock { $0 = State(end: $0.end, reader: $0.reader) }
    }

    /// Waits for the next chunk and removes it, or returns `nil` at the end.
    ///
    /// Throws `CancellationError` while another reader waits.
    package func next() async throws -> Data? {
        try Task.checkCancellation()
        let reader = Waiter<Data?>()
        let result = state.withLock { state -> Result<Data?, any Error>? in
            do {
                if let chunk = try state.takeFirst() { return .success(chunk) }
            } catch {
                state.end = .failure(error)
            }
            if let end = state.end { return end.map { nil } }
            guard state.reader == nil else { return .failure(CancellationError()) }
            state.reader = reader
            return nil
        }
        if let result { return try result.get() }
        return try await reader.wait {
            state.withLock { if $0.reader === reader { $0.reader = nil } }
        }
    }

    /// Removes and returns the bytes of a buffer without a limit.
    func takeAll() -> Data {
        state.withLock { state in
            defer { state = State(end: state.end, reader: state.reader) }
            return state.chunks.first ?? Data()
        }
    }

    /// Drops the buffered chunks, and ends the buffer.
    package func cancel() {
        finish(.failure(CancellationError()))
        removeAll()
    }
}

extension ChunkBuffer.State {
    fileprivate mutating func keep(_ chunk: Data, limit: Int?) throws {
        if limit == nil, !chunks.isEmpty {
            // Joining the chunks at the end would need twice the memory.
            chunks[0] += chunk
            byteCount += chunk.count
        } else if limit.map({ byteCount < $0 && spill?.isEmpty ?? true }) ?? true {
            chunks.append(chunk)
            byteCount += chunk.count
        } else {
            let file = spill ?? SpillFile()
            spill = file
            try file.append(chunk)
        }
    }

    fileprivate mutating func takeFirst() throws -> Data? {
        if nextChunks.isEmpty { (nextChunks, chunks) = (chunks.reversed(), []) }
        guard var chunk = nextChunks.popLast() else { return try spill?.next() }
        // With fewer, larger chunks, a reader catches up before chunks have to go to files.
        if byteCount - chunk.count > Self.joinedSize {
            chunk.reserveCapacity(Self.joinedSize)
            while chunk.count < Self.joinedSize, let next = nextChunks.popLast() { chunk += next }
        }
        byteCount -= chunk.count
        return chunk
    }
}
