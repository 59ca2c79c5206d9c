import Foundation

extension ByteStream {
    /// The elements of a body, such as lines or events, each as soon as it has arrived.
    ///
    /// Those of a ``ByteStream`` can be read once, as the stream.
    public struct Elements<Element: Sendable>: AsyncSequence, Sendable {
        /// An element, and the stream that it was read from.
        typealias Item = (element: Element, stream: ByteStream)
        typealias Next = (isolated (any Actor)?) async throws -> Item?

        /// Starts a loop.
        let makeNext: @Sendable () -> Next

        /// Creates an iterator.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(read: makeNext())
        }

        /// The iterator of the elements.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let read: Next

            /// Returns the next element, or `nil` at the end.
            public mutating func next() async throws -> Element? {
                try await next(isolation: nil)
            }

            /// Returns the next element, or `nil` at the end.
            ///
            /// It runs on the given actor, and leaves it only to wait for the next chunk.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws -> Element? {
                try await read(actor)?.element
            }
        }
    }

    /// The lines of the stream, as UTF-8 text without their endings.
    ///
    /// A line ends with LF, CR or CRLF, and is returned as soon as its ending arrives. Empty lines
    /// are returned, and so is a last line without an ending. A byte order mark at the start of the
    /// stream is dropped.
    ///
    /// A line that is not UTF-8 ends the stream with an ``APIError`` of kind
    /// ``APIError/Kind/decoding``. The body of the error is the line. So does a line of more than
    /// 16 MiB, as soon as it exceeds that limit. The body of the error is then the start of the line,
    /// at most 64 KiB.
    public var lines: Elements<String> {
        Elements {
            var lines = LineReader(self)
            return { actor in
                try await lines.next(isolation: actor) { line in
                    // This initializer only validates: on some systems it drops a leading U+FEFF,
                    // which is text in every line but the first.
                    guard String(data: line, encoding: .utf8) != nil else {
                        throw DecodingError("The line is not UTF-8 text.")
                    }
                    return String(decoding: line, as: UTF8.self)
                }
            }
        }
    }

    /// Returns the values of a stream with one value on each line, such as newline-delimited JSON.
    ///
    /// Lines end as described at ``lines``. Lines with only spaces and tabs are skipped.
    ///
    /// A line that cannot be decoded ends the stream with an ``APIError`` of kind
    /// ``APIError/Kind/decoding``. The body of the error is the line.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: The decoder of each line. The default is the decoder of the stream's request, or
    ///     a new `JSONDecoder` if the stream has no request.
    /// - Returns: The values, each as soon as its line ends.
    public func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type, decoder: (any ResponseDecoder)? = nil
    ) -> Elements<Value> {
        let decoder = decoder ?? context?.decoder ?? JSONDecoder()
        return Elements {
            var lines = LineReader(self)
            return { actor in
                try await lines.next(isolation: actor) { line in
                    guard !line.allSatisfy({ " \t".utf8.contains($0) }) else { return nil }
                    // A copy, because a decoder may expect the first index to be zero.
                    return try decoder.decode(Value.self, from: Data(line))
                }
            }
        }
    }
}

/// Reads the lines of a stream.
struct LineReader {
    let stream: ByteStream
    /// Whether the stream has delivered a chunk.
    private(set) var hasRead = false
    private let lease: ByteStream.Lease
    private var splitter = LineSplitter()
    private var lines = [Data]().makeIterator()

    init(_ stream: ByteStream) {
        self.stream = stream
        lease = stream.makeAsyncIterator().lease
    }

    /// Returns the next value that a closure decodes, and skips the lines that it decodes to `nil`.
    ///
    /// An error of the closure ends the stream, and so does a line that is too long.
    mutating func next<Value: Sendable>(
        isolation: isolated (any Actor)?, _ decode: (Data) throws -> Value?
    ) async throws -> ByteStream.Elements<Value>.Item? {
        while let line = try await nextLine(isolation: isolation) {
            guard line.count <= stream.maxLength else { throw end(forExcess: line, "a line") }
            do {
                if let value = try decode(line) { return (value, stream) }
            } catch {
                lines = [].makeIterator()
                throw stream.end(for: Data(line), error)
            }
        }
        return nil
    }

    private mutating func nextLine(isolation: isolated (any Actor)?) async throws -> Data? {
        repeat {
            if let line = nextLine() { return line }
        } while try await readChunk(isolation: isolation)
        return splitter.rest()
    }

    /// Returns the next line that has arrived, if there is one.
    mutating func nextLine() -> Data? { lines.next() }

    /// Waits for the next chunk, or returns `false` at the end of the stream.
    ///
    /// The start of a line that is too long becomes a line.
    mutating func readChunk(isolation: isolated (any Actor)?) async throws -> Bool {
        if splitter.isLongerThan(stream.maxLength), let start = splitter.rest() {
            lines = [start].makeIterator()
            return true
        }
        guard let chunk = try await lease.reading.next() else { return false }
        hasRead = true
        lines = splitter.lines(in: chunk).makeIterator()
        return true
    }

    /// Ends the stream with an error for a line that makes an element too long.
    mutating func end(forExcess line: Data, _ element: String) -> APIError {
        lines = [].makeIterator()
        let cause = DecodingError("\(element) is longer than \(stream.maxLength) bytes")
        return stream.end(for: Data(line.prefix(1 << 16)), cause)
    }
}
