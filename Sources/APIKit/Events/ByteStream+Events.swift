extension ByteStream {
    /// The server-sent events of the stream.
    ///
    /// They are parsed by sections 9.2.5 and 9.2.6 of the WHATWG HTML standard. Unknown fields are
    /// ignored, and invalid UTF-8 becomes U+FFFD. An event without data is omitted, and so is one
    /// that the end of the stream cuts off. An event is returned when the blank line after it
    /// arrives.
    ///
    /// Any accepted response is parsed; its status and its `Content-Type` are not checked. The events
    /// end with the stream. An ``EventSource`` checks the response, and reconnects.
    ///
    /// An event of more than 16 MiB ends the stream. For another limit, use ``events(maxLength:)``.
    public var events: Events { events(maxLength: Self.maxLength) }

    /// Returns the server-sent events of the stream, with a limit on the length of each.
    ///
    /// Events are parsed as in ``events``. A longer event ends the stream with an ``APIError`` of kind
    /// ``APIError/Kind/decoding``, as soon as it exceeds the limit. The body of the error is the
    /// start of the line that exceeds it, at most 64 KiB.
    ///
    /// - Parameter maxLength: The largest number of bytes of a line, and of the data of an event. The
    ///   reader buffers at most about twice that, and one chunk.
    /// - Returns: The events, each when the blank line after it has arrived.
    public func events(maxLength: Int) -> Events { Events(stream: self, maxLength: maxLength) }

    /// The server-sent events of a stream, which can be read once.
    public struct Events: AsyncSequence, Sendable {
        /// An event.
        public typealias Element = ServerSentEvent

        let stream: ByteStream
        let maxLength: Int

        /// Creates the iterator of the single loop over the stream.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(reader: EventReader(stream, maxLength: maxLength))
        }
    }
}

extension ByteStream.Events {
    /// The iterator of the events of a stream.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var reader: EventReader

        /// Returns the next event, or `nil` at the end.
        public mutating func next() async throws -> ServerSentEvent? {
            try await next(isolation: nil)
        }

        /// Returns the next event, or `nil` at the end.
        ///
        /// It runs on the given actor, and suspends only to wait for the next chunk.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> ServerSentEvent? {
            try await reader.next(isolation: actor)
        }
    }
}
