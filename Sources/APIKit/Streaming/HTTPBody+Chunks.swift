import Foundation

extension HTTPBody {
    /// A body that arrives while it is sent, for ``APIClient/upload(_:with:from:progress:)``.
    ///
    /// The transport asks for a chunk when it can send it, so a slow server holds back the sequence.
    /// When the call ends early, the task that awaits the next chunk is canceled. A pause longer than
    /// the timeout of the request ends the call, which is not proven on Apple platforms.
    ///
    /// The body can be read only once, like an `httpBodyStream`. So ``Retry`` does not repeat the
    /// call, and a 307, 308 or 401 is the response.
    ///
    /// On Linux a `URLSession` refuses such a body, because all sessions of the process would wait for
    /// the sequence. Use the `HTTPClientTransport` of `Examples/AsyncHTTPClientTransport`.
    ///
    /// - Parameters:
    ///   - chunks: The chunks of the body. If the sequence throws, the call throws an ``APIError``
    ///     with the error as its underlying error.
    ///   - length: The number of bytes, if it is known. The call fails if the sequence has more or
    ///     fewer. The last chunk is sent when the sequence has ended.
    ///   - contentType: The content type.
    /// - Returns: The body.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, length: Int? = nil, contentType: String = "application/octet-stream"
    ) -> HTTPBody where Chunks.Element == Data {
        let length = length.map { max(0, $0) }
        let unread = Locked(Optional(chunks.reader(upTo: length)))
        let problem = "its body is a stream of chunks, which only an upload can send"
        var body = HTTPBody(
            contentType: contentType, pieces: .failure(APIError(.invalidRequest(problem))))
        let open = { @Sendable () throws -> Reader in
            guard let reader = unread.withLock({ $0.take() }) else {
                let problem = "its body can be read only once, and has been sent. Make another body"
                throw APIError(.invalidRequest(problem))
            }
            return reader
        }
        body.oneTime = (open, length)
        return body
    }

    /// Returns the whole body, after its files have been read or its sequence has ended.
    package func collected() async throws -> Data {
        if !isRepeatable { return try await chunks().stream.data() }
        return try await Blocking.run { _ in try data() }
    }

    /// Returns the body in chunks, for a transport that sends it without loading its files into
    /// memory.
    ///
    /// The stream reads files on a separate thread, in chunks of at most 256 KiB. To send the body
    /// again, call the method again.
    ///
    /// The chunks add up to the length. If a file grows after the call, the stream stops at its
    /// initial length. If a file shrinks, the stream throws an ``APIError`` of kind
    /// ``APIError/Kind/file(_:)``. If a sequence has another length, the stream throws an ``APIError``
    /// of kind ``APIError/Kind/invalidRequest(_:)``.
    ///
    /// - Returns: The chunks, and their number of bytes unless it is unknown.
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/file(_:)`` for a file that cannot be read,
    ///   or of kind ``APIError/Kind/invalidRequest(_:)`` for a body that cannot be sent, or that can
    ///   be read only once and has been.
    public func chunks() throws -> (stream: ByteStream, length: Int?) {
        if let oneTime {
            return (ByteStream(SequenceSource(try oneTime.open())), oneTime.length)
        }
        let size = 1 << 18
        let sizes = try pieces.get().map { (piece: $0, rest: try $0.length()) }
        // A stream asks for one chunk at a time.
        nonisolated(unsafe) var pieces = sizes[...]
        nonisolated(unsafe) var reader: FileReader?
        let chunks = AsyncThrowingStream<Data, any Error> {
            while let (piece, rest) = pieces.first {
                guard rest > 0 else {
                    pieces.removeFirst()
                    reader = nil
                    continue
                }
                let chunk: Data
                switch piece {
                case .data(let data): chunk = data.suffix(rest).prefix(size)
                case .file(let url):
                    let file = try reader ?? FileReader(url)
                    reader = file
                    chunk = try await Blocking.run { _ in try file.nextPiece(upTo: min(size, rest))
                    }
                    guard !chunk.isEmpty else { throw APIError(shortened: url) }
                }
                pieces[pieces.startIndex].rest -= chunk.count
                return chunk
            }
            return nil
        }
        return (ByteStream(chunks), try sizes.map(\.rest).sum())
    }
}

extension AsyncSequence where Self: Sendable, Element == Data {
    /// Returns a reader, which throws if the chunks do not add up to a length.
    fileprivate func reader(upTo length: Int?) -> HTTPBody.Reader {
        // Only one task at a time uses them.
        nonisolated(unsafe) var iterator = makeAsyncIterator()
        nonisolated(unsafe) var rest = length ?? .max
        nonisolated(unsafe) var isOver = false
        let next = { @Sendable () async throws -> Data? in
            do {
                let chunk = isOver ? nil : try await iterator.next()
                isOver = chunk == nil
                return chunk
            } catch let error where !(error is CancellationError || error is APIError) {
                throw APIError(.invalidRequest("its body cannot be read"), underlying: error)
            }
        }
        return {
            let chunk = try await next()
            rest -= chunk?.count ?? 0
            // The last chunk waits for the end, so that no server receives a whole body of a wrong
            // length.
            while rest == 0, let extra = try await next() { rest -= extra.count }
            if let length, rest < 0 || chunk == nil && rest > 0 {
                let count = rest < 0 ? "more than" : "only \(length - rest) of"
                throw APIError(
                    .invalidRequest("its body has \(count) the \(length) bytes of its length"))
            }
            return chunk
        }
    }
}
