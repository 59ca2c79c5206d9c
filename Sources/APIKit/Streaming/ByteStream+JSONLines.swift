import Foundation

extension ByteStream {
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
    ///   - maxLength: The maximum number of bytes in a line. The default is 16 MiB. A longer line
    ///     ends the stream as described at ``lines(maxLength:)``.
    /// - Returns: The values, each as soon as its line ends.
    public func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type, decoder: (any ResponseDecoder)? = nil,
        maxLength: Int = ByteStream.maxLength
    ) -> JSONLines<Value> {
        JSONLines(
            lines: lines(maxLength: maxLength),
            decoder: decoder ?? context?.decoder ?? JSONDecoder())
    }

    /// The values on the lines of a stream, which can be read once.
    public struct JSONLines<Value: Decodable & Sendable>: AsyncSequence, Sendable {
        /// The value of a line.
        public typealias Element = Value

        let lines: Lines
        let decoder: any ResponseDecoder

        /// Creates the iterator for the one loop that can read the stream.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(lines: lines.makeAsyncIterator().lines, decoder: decoder)
        }
    }
}

extension ByteStream.JSONLines {
    /// The iterator of the values on the lines of a stream.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var lines: LineReader
        let decoder: any ResponseDecoder

        /// Returns the next value, or `nil` at the end.
        public mutating func next() async throws -> Value? {
            try await next(isolation: nil)
        }

        /// Returns the next value, or `nil` at the end.
        ///
        /// It runs on the given actor, and leaves it only to wait for the next chunk.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> Value? {
            try await lines.next(isolation: actor) { [decoder] line in
                guard !line.allSatisfy({ " \t".utf8.contains($0) }) else { return nil }
                // A copy, because a decoder may expect the first index to be zero.
                return try decoder.decode(Value.self, from: Data(line))
            }
        }
    }
}
