/// One server-sent event, as the WHATWG HTML standard defines it in section 9.2.
public struct ServerSentEvent: Sendable, Equatable, ExpressibleByStringLiteral {
    /// The data of the event, its lines separated by line feeds.
    public var data: String

    /// The type of the event; `message` unless the server names another.
    public var type: String

    /// The identifier to resume after: in an event received, the last one that the server named.
    ///
    /// That may have been with an earlier event. It is `nil` if there has been none yet, or if the
    /// server has taken it back with an empty one.
    public var id: String?

    /// How long to wait before reconnecting, in whole milliseconds, if this very event says so.
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

    /// Creates an event of nothing but data.
    public init(stringLiteral data: String) {
        self.init(data: data)
    }
}
