import Foundation

extension ByteStream {
    /// The lines of the stream, as UTF-8 text without their endings.
    ///
    /// A line ends with LF, CR or CRLF, and is returned as soon as its ending arrives. Empty lines
    /// are returned, and so is a last line without an ending. A byte order mark at the start of the
    /// stream is dropped.
    ///
    /// A line that is not UTF-8 ends the stream with an ``APIError`` of kind
    /// ``APIError/Kind/decoding``. The body of the error is the line. A line of more than 16 MiB
    /// ends the stream as described at ``lines(maxLength:)``. Use that function to set a different
    /// limit.
    public var lines: Lines { lines(maxLength: Self.maxLength) }

    /// Returns the lines of the stream, with a limit on the length of each.
    ///
    /// Lines end as described at ``lines``. A longer line ends the stream with an ``APIError`` of kind
    /// ``APIError/Kind/decoding``, as soon as it exceeds the limit. The body of the error is the start
    /// of the line, at most 64 KiB.
    ///
    /// - Parameter maxLength: The maximum number of bytes in a line, without its ending. The reader
    ///   buffers at most this number of bytes and one chunk.
    /// - Returns: The lines, each as soon as its ending arrives.
    public func lines(maxLength: Int) -> Lines { Lines(stream: self, maxLength: maxLength) }

    /// The lines of a stream, which can be read once.
    public struct Lines: AsyncSequence, Sendable {
        /// A line without its ending.
        public typealias Element = String

        let stream: ByteStream
        let maxLength: Int

        /// Creates the iterator for the one loop that can read the stream.
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

        /// Returns the next line, or `nil` at the end.
        ///
        /// It runs on the given actor, and leaves it only to wait for the next chunk.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> String? {
            try await lines.next(isolation: actor) { line in
                // This initializer only validates: on some systems it drops a leading U+FEFF, which
                // is text in every line but the first.
                guard String(data: line, encoding: .utf8) != nil else {
                    throw DecodingError("The line is not UTF-8 text.")
                }
                return String(decoding: line, as: UTF8.self)
            }
        }
    }
}

/// Reads the lines of a stream.
struct LineReader {
    private let stream: ByteStream
    private let lease: ByteStream.Lease
    private let maxLength: Int
    private var splitter = LineSplitter()
    private var lines = [Data]().makeIterator()

    init(_ stream: ByteStream, maxLength: Int) {
        self.stream = stream
        self.maxLength = max(0, maxLength)
        lease = stream.makeAsyncIterator().lease
    }

    /// Returns the next value that a closure decodes, and skips the lines that it decodes to `nil`.
    ///
    /// An error of the closure ends the stream, and so does a line that is too long.
    mutating func next<Value>(
        isolation: isolated (any Actor)?, _ decode: (Data) throws -> Value?
    ) async throws -> Value? {
        while let line = try await nextLine(isolation: isolation) {
            let isTooLong = line.count > maxLength
            do {
                guard !isTooLong else {
                    throw DecodingError("a line is longer than \(maxLength) bytes")
                }
                if let value = try decode(line) { return value }
            } catch {
                lines = [].makeIterator()
                let part = isTooLong ? line.prefix(APIError.bodyLimit) : line
                throw stream.end(for: Data(part), error)
            }
        }
        return nil
    }

    private mutating func nextLine(isolation: isolated (any Actor)?) async throws -> Data? {
        while true {
            if let line = lines.next() { return line }
            guard !splitter.isLongerThan(maxLength), let chunk = try await lease.reading.next()
            else { return splitter.rest() }
            lines = splitter.lines(in: chunk).makeIterator()
        }
    }
}
