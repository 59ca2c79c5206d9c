import Foundation

/// A reader of the lines of a stream.
struct LineReader {
    private let context: ByteStream.Context?
    private let lease: ByteStream.Lease
    private var splitter = LineSplitter()
    private var lines = [Data]().makeIterator()

    init(_ stream: ByteStream) {
        context = stream.context
        lease = stream.makeAsyncIterator().lease
    }

    /// Returns what a closure makes of the next line of which it makes something.
    ///
    /// What the closure throws ends the stream.
    mutating func next<Value>(
        isolation: isolated (any Actor)?, _ decode: (Data) throws -> Value?
    ) async throws -> Value? {
        while let line = try await nextLine(isolation: isolation) {
            do {
                if let value = try decode(line) { return value }
            } catch {
                throw end(with: line, error)
            }
        }
        return nil
    }

    private mutating func nextLine(isolation: isolated (any Actor)?) async throws -> Data? {
        while true {
            if let line = lines.next() { return line }
            guard let chunk = try await lease.reading.next() else { return splitter.rest() }
            lines = splitter.lines(in: chunk).makeIterator()
        }
    }

    /// Ends the stream with the error for a line, which is thrown to whoever reads on.
    private mutating func end(with line: Data, _ cause: any Error) -> APIError {
        lines = [].makeIterator()
        let line = Data(line)
        let error =
            context?.undecodable(line, cause) ?? APIError(.decoding, body: line, underlying: cause)
        lease.reading.end(.failure(error))
        return error
    }
}
