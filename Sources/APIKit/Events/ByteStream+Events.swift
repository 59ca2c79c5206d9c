import Foundation

extension ByteStream {
    /// The server-sent events of the stream.
    ///
    /// Sections 9.2.5 and 9.2.6 of the WHATWG HTML standard define the parsing. Unknown fields are
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
    /// - Parameter maxLength: The maximum number of bytes in a line, and in the data of an event.
    ///   The reader buffers at most about twice as many bytes, plus one chunk.
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

extension ByteStream.Events {
    /// Returns the values decoded from the events, such as the chunks of a language model's answer.
    ///
    /// ```swift
    /// let response = try await client.stream(ChatRequest(), with: prompt)
    /// for try await chunk in response.value.events.decoded(as: ChatChunk.self, until: "[DONE]") {
    ///     text += chunk.text
    /// }
    /// ```
    ///
    /// Data that cannot be decoded is passed to ``APIRequest/parseRefusal(_:)`` of the stream's
    /// request, with the response head of the stream. So is the data of an event of type `error`.
    /// The loop throws the error of that function. If the function returns, the stream ends with an
    /// ``APIError`` of kind ``APIError/Kind/decoding``. The body of the error is the data.
    ///
    /// Events whose data is no value, such as pings with data, have no place here. Let the type decode
    /// them too, or read the events and decode the data of those that you want.
    ///
    /// - Parameters:
    ///   - type: The type of the values. In a target whose declarations are on the main actor by
    ///     default, as in a new app of Xcode 26, declare it `nonisolated`.
    ///   - end: The data of the event that ends the values, or `nil` to end them with the stream.
    ///   - decoder: The decoder of the data. The default is the decoder of the stream's request, or a
    ///     new `JSONDecoder` if the stream has no request.
    /// - Returns: The values, each when its event is complete.
    public func decoded<Value: Decodable & Sendable>(
        as type: Value.Type, until end: String? = nil, decoder: (any ResponseDecoder)? = nil
    ) -> Decoded<Value> {
        Decoded(
            events: self, end: end, decoder: decoder ?? stream.context?.decoder ?? JSONDecoder())
    }

    /// The values decoded from the events of a stream, which can be read once.
    public struct Decoded<Value: Decodable & Sendable>: AsyncSequence, Sendable {
        /// The value of an event.
        public typealias Element = Value

        let events: ByteStream.Events
        let end: String?
        let decoder: any ResponseDecoder

        /// Creates the iterator for the one loop that can read the stream.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(events: events.makeAsyncIterator(), values: self)
        }
    }
}

extension ByteStream.Events.Decoded {
    /// The iterator of the values in the events of a stream.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var events: ByteStream.Events.AsyncIterator
        let values: ByteStream.Events.Decoded<Value>

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
            guard let event = try await events.next(isolation: actor) else { return nil }
            let stream = values.events.stream
            if event.data == values.end {
                // A server may keep the connection open after its last event.
                stream.reading.finish()
                return nil
            }
            let data = Data(event.data.utf8)
            do {
                guard event.type != "error" else { throw DecodingError("the event is an error") }
                return try values.decoder.decode(Value.self, from: data)
            } catch {
                throw stream.end(refusing: data, error)
            }
        }
    }
}

extension ByteStream {
    /// Ends the stream with the error that the request type parses from a part of it.
    fileprivate func end(refusing part: Data, _ cause: any Error) -> any Error {
        guard let context else { return end(for: part, cause) }
        do {
            try context.refusal(APIResponse(value: part, http: context.http))
        } catch let error where !(error is DecodingError) {
            cancel(throwing: error)
            return error
        } catch {}
        return end(for: part, cause)
    }
}
