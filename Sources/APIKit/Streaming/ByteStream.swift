import Foundation

/// The body of a response as it arrives, chunk by chunk.
///
/// ```swift
/// let response = try await client.stream(ReportRequest(), with: 2026)
/// for try await chunk in response.value {
///     try file.write(contentsOf: chunk)
/// }
/// ```
///
/// Where one chunk ends and the next begins means nothing: it is as the network cut them. For text,
/// use ``lines``, ``jsonLines(of:decoder:maxLength:)`` or ``events``, which put together what was cut.
///
/// **It is read once.** Leaving the loop, dropping the stream and cancelling the task that reads it
/// all end the request; to read a stream again afterwards throws `CancellationError`. What breaks
/// on the way is thrown where it happens, after everything that had arrived before.
///
/// **A slow reader costs little memory.** At most a megabyte waits in memory; what arrives beyond
/// that waits in temporary files. They take the size of the unread bytes and at most 64 MiB more,
/// and are deleted with the stream.
///
/// A stream may be handed from task to task, and one task at a time should read it.
public struct ByteStream: AsyncSequence, Sendable {
    /// A chunk, never empty.
    public typealias Element = Data

    package let reading: StreamReading
    /// What the stream is the body of, if that is known.
    let context: Context?

    init(reading: StreamReading, context: Context? = nil) {
        self.reading = reading
        self.context = context
    }

    package init(_ source: any ByteSource) {
        self.init(reading: StreamReading(source))
    }

    /// Creates a stream of chunks that come from elsewhere, as a transport of your own does.
    ///
    /// When the stream ends early, a task that waits for the next chunk is cancelled.
    public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == Data {
        self.init(SequenceSource(chunks))
    }

    /// Creates a stream of data that is there already.
    public init(_ data: Data) {
        let chunks = ChunkBuffer()
        chunks.append(data)
        chunks.finish(.success(()))
        self.init(chunks)
    }

    /// Creates the iterator of the one loop over the stream.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(lease: Lease(reading))
    }

    /// Calls a closure when the stream has ended, or at once if it has.
    ///
    /// An interceptor that holds something for as long as a call lasts lets go of it here.
    ///
    /// - Parameter handler: Called once, on any thread, with the error that the stream ended with:
    ///   `nil` if it was read to its end, and `CancellationError` if it was left early.
    public func onEnd(_ handler: @escaping @Sendable (_ error: (any Error)?) -> Void) {
        reading.onEnd(handler)
    }

    /// Ends the stream, and with it the request.
    ///
    /// - Parameter error: The error that the reader is thrown. A stream that has ended already
    ///   stays as it is.
    public func cancel(throwing error: any Error = CancellationError()) {
        reading.end(.failure(error))
    }

    /// Reads the whole rest of the stream.
    public func data() async throws -> Data {
        var data = Data()
        for try await chunk in self { data += chunk }
        return data
    }

    /// Reads the start of the stream, and ends it there.
    func data(upTo limit: Int) async throws -> Data {
        var data = Data()
        for try await chunk in self {
            data += chunk.prefix(limit - data.count)
            if data.count == limit { break }
        }
        return data
    }
}

extension ByteStream {
    /// The iterator of a stream.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let lease: Lease

        /// Returns the next chunk, or `nil` at the end.
        public mutating func next() async throws -> Data? {
            try await lease.reading.next()
        }
    }

    /// The right to read a stream, which ends with whoever has it.
    final class Lease: Sendable {
        let reading: StreamReading

        init(_ reading: StreamReading) {
            self.reading = reading
        }

        deinit {
            reading.end(.failure(CancellationError()))
        }
    }

    /// What a stream is the body of, for the errors of whoever makes sense of it.
    struct Context: Sendable {
        let request: URLRequest
        let http: HTTPURLResponse
        let decoder: any ResponseDecoder
    }

    /// The longest line and the longest event in bytes, unless the reader asks for another limit.
    @usableFromInline static let maxLength = 1 << 24

    /// Ends the stream with the error for a part of it that makes no sense, and returns the error.
    func end(for part: Data, _ reason: String) -> APIError {
        let context = DecodingError.Context(codingPath: [], debugDescription: reason)
        return end(for: part, DecodingError.dataCorrupted(context))
    }

    /// Ends the stream with the error for a part of it that makes no sense, and returns the error.
    func end(for part: Data, _ cause: any Error) -> APIError {
        let error = APIError(
            .decoding, request: context?.request, response: context?.http, body: part,
            underlying: cause)
        cancel(throwing: error)
        return error
    }
}
