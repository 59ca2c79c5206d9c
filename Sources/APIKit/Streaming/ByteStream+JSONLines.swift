import Foundation

extension ByteStream {
    /// The values of a stream that has one on each line, as newline-delimited JSON does.
    ///
    /// Lines end as those of ``lines`` do. A line of nothing but spaces and tabs is skipped.
    ///
    /// A line that cannot be decoded ends the stream: it is thrown in an ``APIError`` of kind
    /// ``APIError/Kind/decoding``, as the body of the error.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: The decoder of each line; unless given, that of the request whose response
    ///     this is the body of, or else a new `JSONDecoder`.
    ///   - maxLength: The number of bytes that a line may have; 16 MiB unless given. A longer line
    ///     ends the stream like one of ``lines(maxLength:)``.
    /// - Returns: The values, each as soon as its line has ended.
    public func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type, decoder: (any ResponseDecoder)? = nil,
        maxLength: Int = ByteStream.maxLength
    ) -> JSONLines<Value> {
        JSONLines(
            lines: lines(maxLength: maxLength),
            decoder: decoder ?? context?.decoder ?? JSONDecoder())
    }

    /// The values on the lines of a stream, which are read once, as it is.
    public struct JSONLines<Value: Decodable & Sendable>: AsyncSequence, Sendable {
        /// The value of a line.
        public typealias Element = Value

        let lines: Lines
        let decoder: any ResponseDecoder

        /// Creates the iterator of the one loop over the stream.
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

        /// Returns the next value, or `nil` at the end, on the actor that asks for it, which is left
        /// only to wait for the next chunk.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> Value? {
            try await lines.next(isolation: actor) { [decoder] line in
                guard !line.allSatisfy({ " \t".utf8.contains($0) }) else { return nil }
                // A copy, because a decoder may well expect that the first index is zero.
                return try decoder.decode(Value.self, from: Data(line))
            }
        }
    }
}
