import Foundation

extension HTTPBody {
    /// Returns the body in chunks, for a transport that sends it without loading its files into
    /// memory.
    ///
    /// A chunk has at most 256 KiB. The stream reads files on a separate thread. To send the body
    /// again, call the method again.
    ///
    /// The chunks add up to ``length()``. If a file grows after the call, the stream stops at its
    /// initial length. If a file shrinks, the stream throws an ``APIError`` of kind
    /// ``APIError/Kind/file(_:)``.
    ///
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/file(_:)`` for a file that cannot be read,
    ///   or of kind ``APIError/Kind/invalidRequest(_:)`` for a body that cannot be sent.
    public func chunks() throws -> ByteStream {
        let size = 1 << 18
        // A stream asks for one chunk at a time.
        nonisolated(unsafe) var pieces = try pieces.get()
            .map { (piece: $0, rest: try $0.length()) }[...]
        nonisolated(unsafe) var reader: FileReader?
        let chunks = AsyncThrowingStream<Data, any Error> {
            while let (piece, rest) = pieces.first {
                guard rest > 0 else {
                    pieces.removeFirst()
                    reader = nil
                    continue
                }
                let chunk: Data
                switch piece {
                case .data(let data): chunk = data.suffix(rest).prefix(size)
                case .file(let url):
                    let file = try reader ?? FileReader(url)
                    reader = file
                    chunk = try await Blocking.run { _ in try file.nextPiece(upTo: min(size, rest))
                    }
                    guard !chunk.isEmpty else { throw APIError(shortened: url) }
                }
                pieces[pieces.startIndex].rest -= chunk.count
                return chunk
            }
            return nil
        }
        return ByteStream(chunks)
    }
}
