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
