import Foundation

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
    /// An error of the closure ends the stream.
    mutating func next<Value>(
        isolation: isolated (any Actor)?, _ decode: (Data) throws -> Value?
    ) async throws -> Value? {
        while let line = try await nextLine(isolation: isolation) {
            do {
                if let value = try decode(line) { return value }
            } catch {
                lines = [].makeIterator()
                throw stream.end(for: Data(line), error)
            }
        }
        return nil
    }

    private mutating func nextLine(isolation: isolated (any Actor)?) async throws -> Data? {
        while true {
            if let line = lines.next() { return try checked(line) }
            guard !splitter.isLongerThan(maxLength), let chunk = try await lease.reading.next()
            else { return try splitter.rest().map { try checked($0) } }
            lines = splitter.lines(in: chunk).makeIterator()
        }
    }

    /// Returns a line, or ends the stream if the line is too long.
    private mutating func checked(_ line: Data) throws -> Data {
        guard line.count > maxLength else { return line }
        lines = [].makeIterator()
        throw stream.end(
            for: Data(line.prefix(APIError.bodyLimit)),
            "a line is longer than \(maxLength) bytes")
    }
}
