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
    /// end with the stream. ``APIClient/reconnectingEvents(of:with:delay:clock:)`` checks
    /// the response, and reconnects.
    ///
    /// An event of more than 16 MiB ends the stream with an ``APIError`` of kind
    /// ``APIError/Kind/decoding``, as soon as it exceeds that limit. The body of the error is the
    /// start of the line that exceeds it, at most 64 KiB. The reader buffers at most about twice the
    /// limit, plus one chunk.
    public var events: Elements<ServerSentEvent> {
        Elements {
            var events = EventReader(self)
            return { actor in try await events.next(isolation: actor) }
        }
    }
}

extension ByteStream.Elements where Element == ServerSentEvent {
    /// Returns the values decoded from the events, such as the chunks of a language model's answer.
    ///
    /// ```swift
    /// let response = try await client.stream(ChatRequest(), with: prompt)
    /// for try await chunk in response.value.events.decoded(as: ChatChunk.self, until: "[DONE]") {
    ///     text += chunk.text
    /// }
    /// ```
    ///
    /// Data that cannot be decoded is passed to ``APIRequest/parseError(_:)`` of the stream's
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
    ///   - end: The data of the event that ends the values, or `nil` to end them with the events.
    ///   - decoder: The decoder of the data. The default is the decoder of the stream's request, or a
    ///     new `JSONDecoder` if the stream has no request.
    /// - Returns: The values, each when its event is complete.
    public func decoded<Value: Decodable & Sendable>(
        as type: Value.Type, until end: String? = nil, decoder: (any ResponseDecoder)? = nil
    ) -> ByteStream.Elements<Value> {
        ByteStream.Elements<Value> {
            let next = makeNext()
            return { actor in
                guard let (event, stream) = try await next(actor) else { return nil }
                if event.data == end {
                    // A server may keep the connection open after its last event.
                    stream.reading.finish()
                    return nil
                }
                let data = Data(event.data.utf8)
                do {
                    guard event.type != "error" else {
                        throw DecodingError("the event is an error")
                    }
                    let decoder = decoder ?? stream.context?.decoder ?? JSONDecoder()
                    return (try decoder.decode(Value.self, from: data), stream)
                } catch {
                    throw stream.end(refusing: data, error)
                }
            }
        }
    }
}

extension ByteStream {
    /// Ends the stream with the error that the request type parses from a part of it.
    fileprivate func end(refusing part: Data, _ cause: any Error) -> any Error {
        let own: (any Error)?
        do {
            own = try context.flatMap {
                try $0.parseError(APIResponse(value: part, http: $0.http))
            }
        } catch let thrown {
            own = thrown is DecodingError ? nil : thrown
        }
        guard let own else { return end(for: part, cause) }
        cancel(throwing: own)
        return own
    }
}
