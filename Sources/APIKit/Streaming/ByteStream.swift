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
/// The boundaries between chunks have no meaning. For text, use ``lines``,
/// ``jsonLines(of:decoder:)`` or ``events``, which join the chunks.
///
/// **A stream can be read once.** Leaving the loop, releasing the stream, or canceling the task
/// that reads it ends the request. Reading the stream again then throws `CancellationError`. If the
/// connection fails, the stream returns the chunks that arrived before, and then throws.
///
/// **A slow reader needs little memory.** A stream from a `URLSession` buffers about 1 MiB in memory,
/// and the rest in temporary files. The files hold the unread bytes and at most 64 MiB more, and are
/// deleted with the stream. If the disk is full, the stream throws an ``APIError`` of kind
/// ``APIError/Kind/file(_:)``. A stream of a sequence reads one chunk at a time.
///
/// Any task may read the stream, but only one at a time.
public struct ByteStream: AsyncSequence, Sendable {
    /// A chunk, never empty.
    public typealias Element = Data

    package let reading: StreamReading
    /// The request and response of the stream, if they are known.
    let context: Context?
    /// The maximum number of bytes in a line without its ending, and in the data of an event.
    package var maxLength = 1 << 24

    init(reading: StreamReading, context: Context? = nil) {
        self.reading = reading
        self.context = context
    }

    package init(_ source: any ByteSource) {
        self.init(reading: StreamReading(source))
    }

    /// Creates a stream from a sequence of chunks, for example in your own transport.
    ///
    /// When the stream ends early, the task that awaits the next element of the sequence is
    /// canceled.
    public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == Data {
        self.init(SequenceSource(chunks))
    }

    /// Creates a stream of data in memory.
    public init(_ data: Data) {
        let chunks = ChunkBuffer()
        chunks.append(data)
        chunks.finish(.success(()))
        self.init(chunks)
    }

    /// Creates the iterator for the one loop that can read the stream.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(lease: Lease(reading))
    }

    /// Calls a handler when the stream ends, or at once if it has ended.
    ///
    /// - Parameter handler: Called once, on any thread, with the error that ended the stream. The
    ///   error is `nil` at the end of the body, and `CancellationError` if the reader stops early.
    package func onEnd(_ handler: @escaping @Sendable (_ error: (any Error)?) -> Void) {
        reading.onEnd(handler)
    }

    /// Ends the stream and its request, unless the stream has ended.
    ///
    /// - Parameter error: The error that the stream throws.
    public func cancel(throwing error: any Error = CancellationError()) {
        reading.end(.failure(error))
    }

    /// Reads the rest of the stream.
    public func data() async throws -> Data { try await data(upTo: .max) }

    /// Reads the start of the stream, up to a number of bytes, and ends the stream.
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

    /// Ends the stream when its iterator is released.
    final class Lease: Sendable {
        let reading: StreamReading

        init(_ reading: StreamReading) {
            self.reading = reading
        }

        deinit {
            reading.end(.failure(CancellationError()))
        }
    }

    /// The request and response of a stream, for the errors of decoding it.
    struct Context: Sendable {
        let request: URLRequest
        let http: HTTPURLResponse
        let decoder: any ResponseDecoder
        let parseError: @Sendable (APIResponse<Data>) throws -> (any Error)?
    }

    /// Ends the stream with an error for a part that cannot be decoded, and returns the error.
    func end(for part: Data, _ cause: any Error) -> APIError {
        var error = APIError(
            .decoding, request: context?.request, response: context?.http, body: part,
            underlying: cause)
        error.decoder = context?.decoder
        cancel(throwing: error)
        return error
    }
}

extension ByteStream: DumpsWithoutSecrets {
    package var dumped: KeyValuePairs<String, Any> {
        let request = context.map { Redaction.masked($0.request) }
        return ["request": request ?? "none"]
    }
}

extension APIResponse {
    /// The body that is still arriving, or `nil` if the value is not a stream.
    var stream: ByteStream? { value as? ByteStream }

    /// Calls a handler when the response ends.
    ///
    /// A response whose value is a ``ByteStream`` ends with the stream. Any other response has
    /// ended, so the handler is called at once. Use it in an interceptor to release the resources
    /// of a call.
    ///
    /// - Parameter handler: Called once, on any thread, with the error that ended the stream. The
    ///   error is `nil` at the end of the body, `CancellationError` if the reader stops early, and `nil`
    ///   for any other response.
    public func onEnd(_ handler: @escaping @Sendable ((any Error)?) -> Void) {
        guard let stream else { return handler(nil) }
        stream.onEnd(handler)
    }
}

extension APIResponse<ByteStream> {
    /// Reads the part of the body that an error carries, and ends the stream.
    func startOfBody() async throws -> APIResponse<Data> {
        let data = try await value.data(upTo: APIError.bodyLimit)
        return map { _ in data }
    }
}
