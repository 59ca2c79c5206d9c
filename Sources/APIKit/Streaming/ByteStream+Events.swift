extension ByteStream {
    /// The server-sent events of the stream.
    ///
    /// They are read as the WHATWG HTML standard says in its sections 9.2.5 and 9.2.6: what makes
    /// no sense is ignored, what is not UTF-8 becomes U+FFFD, and an event without data is left
    /// out, as is one that the end of the stream cuts off. An event arrives as soon as the blank
    /// line after it has.
    ///
    /// When the stream ends, so do the events: nothing connects to the server again.
    public var events: Events { Events(stream: self) }

    /// The server-sent events of a stream, which are read once, as it is.
    public struct Events: AsyncSequence, Sendable {
        /// An event.
        public typealias Element = ServerSentEvent

        let stream: ByteStream

        /// Creates the iterator of the one loop over the stream.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(stream)
        }
    }
}

extension ByteStream.Events {
    /// The iterator of the events of a stream.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let lease: ByteStream.Lease
        private var parser = ServerSentEventParser()
        private var events = [ServerSentEvent]().makeIterator()

        init(_ stream: ByteStream) {
            lease = stream.makeAsyncIterator().lease
        }

        /// Returns the next event, or `nil` at the end.
        public mutating func next() async throws -> ServerSentEvent? {
            try await next(isolation: nil)
        }

        /// Returns the next event, or `nil` at the end, on the actor that asks for it, which is left
        /// only to wait for the next chunk.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> ServerSentEvent? {
            while true {
                if let event = events.next() { return event }
                guard let chunk = try await lease.reading.next() else { return nil }
                events = parser.events(in: chunk).makeIterator()
            }
        }
    }
}
