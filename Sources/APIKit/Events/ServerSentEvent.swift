import Foundation

/// A server-sent event (WHATWG HTML standard, section 9.2).
public struct ServerSentEvent: Sendable, Equatable, ExpressibleByStringLiteral {
    /// The data of the event, with line feeds between its lines.
    public var data: String

    /// The type of the event, by default `message`.
    public var type: String

    /// The last identifier that the server sent, in this event or in an earlier one.
    ///
    /// A new connection resumes after it. It is `nil` if the server has sent none, or has cleared
    /// it with an empty identifier.
    public var id: String?

    /// The time to wait before reconnecting, in whole milliseconds, if this event sets it.
    public var retry: Duration?

    /// Creates an event.
    public init(
        data: String, type: String = "message", id: String? = nil, retry: Duration? = nil
    ) {
        self.data = data
        self.type = type
        self.id = id
        self.retry = retry
    }

    /// Creates an event that has only data.
    public init(stringLiteral data: String) {
        self.init(data: data)
    }
}

extension ServerSentEvent {
    /// Decodes the data of the event, for a stream whose events have several types.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder of the data.
    /// - Returns: The value.
    /// - Throws: The error of the decoder, which is usually a `DecodingError`.
    public func decode<Value: Decodable>(
        _ type: Value.Type, decoder: any ResponseDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: Data(data.utf8))
    }

    /// The text of the event in a stream, with the blank line that ends it.
    ///
    /// A server sends it with the `Content-Type` `text/event-stream`. A reader receives the same event,
    /// with these limits of the format:
    ///
    /// - In the data, a CR or CRLF arrives as a line feed.
    /// - The type and the identifier lose their line breaks, so that neither can add a field.
    /// - Without an identifier, or with one that has a NUL, a reader keeps that of the event before. An
    ///   empty one clears it.
    /// - A negative reconnection time counts as zero.
    public var encoded: String {
        var lines: [String] = []
        if type != "message" { lines.append("event: \(type.withoutLineBreaks)") }
        if let id { lines.append("id: \(id.withoutLineBreaks)") }
        if let retry {
            let limit = Duration.milliseconds(Int64.max)
            let (seconds, attoseconds) = max(.zero, min(retry, limit)).components
            lines.append("retry: \(seconds * 1000 + attoseconds / 1_000_000_000_000_000)")
        }
        lines += data.split(omittingEmptySubsequences: false, whereSeparator: \.isLineBreak)
            .map { "data: \($0)" }
        return lines.map { $0 + "\n" }.joined() + "\n"
    }
}

extension String {
    fileprivate var withoutLineBreaks: String { filter { !$0.isLineBreak } }
}

extension Character {
    /// Whether the character ends a line of a stream, unlike U+2028.
    fileprivate var isLineBreak: Bool { self == "\n" || self == "\r" || self == "\r\n" }
}
