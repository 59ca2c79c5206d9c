import Foundation

extension ByteStream {
    /// The lines of the stream, which is text in UTF-8.
    ///
    /// A line ends with LF, CR or CRLF, which is no part of it, and arrives as soon as its ending
    /// has. Empty lines count, and so does a last line without an ending. A byte order mark at the
    /// start of the stream is left out.
    ///
    /// A line that is not UTF-8 ends the stream: it is thrown in an ``APIError`` of kind
    /// ``APIError/Kind/decoding``, as the body of the error.
    public var lines: Lines { Lines(stream: self) }

    /// The lines of a stream, which are read once, as it is.
    public struct Lines: AsyncSequence, Sendable {
        /// A line without its ending.
        public typealias Element = String

        let stream: ByteStream

        /// Creates the iterator of the one loop over the stream.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(lines: LineReader(stream))
        }
    }
}

extension ByteStream.Lines {
    /// The iterator of the lines of a stream.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var lines: LineReader

        /// Returns the next line, or `nil` at the end.
        public mutating func next() async throws -> String? {
            try await next(isolation: nil)
        }

        /// Returns the next line, or `nil` at the end, on the actor that asks for it, which is left
        /// only to wait for the next chunk.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> String? {
            try await lines.next(isolation: actor) { line in
                // It tells what is not UTF-8, but depending on the system drops a U+FEFF, which is
                // a character of any line but the first.
                guard String(data: line, encoding: .utf8) != nil else {
                    throw DecodingError.dataCorrupted(
                        .init(codingPath: [], debugDescription: "The line is not UTF-8 text."))
                }
                return String(decoding: line, as: UTF8.self)
            }
        }
    }
}
