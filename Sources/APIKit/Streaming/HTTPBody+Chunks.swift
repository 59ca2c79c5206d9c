import Foundation

extension HTTPBody {
    /// The chunks of a body, for a transport that sends it without loading its files into memory.
    ///
    /// The boundaries between chunks have no meaning. A chunk is never empty, and has at most 256 KiB.
    /// Each iterator reads the body from its start, and its files on a separate thread.
    ///
    /// The chunks add up to ``length``. If a file grows, the sequence stops at its initial length. If a
    /// file shrinks, the sequence throws an ``APIError`` of kind ``APIError/Kind/file(_:)``.
    public struct Chunks: AsyncSequence, Sendable {
        /// A chunk, never empty.
        public typealias Element = Data

        /// The size of the body in bytes, for `Content-Length`.
        public let length: Int

        fileprivate let pieces: [(piece: Piece, length: Int)]

        /// Creates an iterator that starts with the first chunk.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(pieces: pieces[...]) }
    }

    /// Returns the body in chunks.
    ///
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/file(_:)`` for a file that cannot be read,
    ///   or of kind ``APIError/Kind/invalidRequest(_:)`` for a body that cannot be sent.
    public func chunks() throws -> Chunks {
        let pieces = try pieces.get().map { (piece: $0, length: try $0.length()) }
        return Chunks(length: try pieces.map { $0.length }.sum(), pieces: pieces)
    }
}

extension HTTPBody.Chunks {
    /// The iterator of a sequence of chunks.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var pieces: ArraySlice<(piece: HTTPBody.Piece, length: Int)>
        /// The rest of the current piece.
        fileprivate var data = Data()
        fileprivate var file: (url: URL, reader: FileReader, rest: Int)?

        /// Returns the next chunk, or `nil` at the end of the body.
        public mutating func next() async throws -> Data? {
            let size = 1 << 18
            while true {
                if !data.isEmpty {
                    defer { data = data.dropFirst(size) }
                    return data.prefix(size)
                }
                if let (url, reader, rest) = file, rest > 0 {
                    let chunk = try await Blocking.run { _ in
                        try reader.nextPiece(upTo: Swift.min(size, rest))
                    }
                    guard !chunk.isEmpty else { throw APIError(shortened: url) }
                    file = (url, reader, rest - chunk.count)
                    return chunk
                }
                guard let (piece, length) = pieces.popFirst() else { return nil }
                switch piece {
                case .data(let data): self.data = data
                case .file(let url): file = (url, try FileReader(url), length)
                }
            }
        }
    }
}
