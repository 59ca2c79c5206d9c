import Foundation

extension ByteStream {
    /// The lines of the stream, which is text in UTF-8.
    ///
    /// A line ends with LF, CR or CRLF, which is no part of it, and arrives as soon as its ending
    /// has. Empty lines count, and so does a last line without an ending. A byte order mark at the
    /// start of the stream is left out.
    ///
    /// A line that is not UTF-8 ends the stream: it is thrown in an ``APIError`` of kind
    /// ``APIError/Kind/decoding``, as the body of the error. So does a line of more than 16 MiB; for
    /// another limit, use ``lines(maxLength:)``.
    public var lines: Lines { lines(maxLength: Self.maxLength) }

    /// Returns the lines of the stream, with a limit on the length of each.
    ///
    /// Lines are cut as in ``lines``. A longer line ends the stream with an ``APIError`` of kind
    /// ``APIError/Kind/decoding``, as soon as it exceeds the limit. The body of the error is the start
    /// of the line, at most 64 KiB.
    ///
    /// - Parameter maxLength: The number of bytes that a line may have, without its ending. The
    ///   reader buffers at most that, and one chunk.
    /// - Returns: The lines, each as soon as its ending has arrived.
    public func lines(maxLength: Int) -> Lines { Lines(stream: self, maxLength: maxLength) }

    /// The lines of a stream, which are read once, as it is.
    public struct Lines: AsyncSequence, Sendable {
        /// A line without its ending.
        public typealias Element = String

        let stream: ByteStream
        let maxLength: Int

        /// Creates the iterator of the one loop over the stream.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(lines: LineReader(stream, maxLength: maxLength))
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
