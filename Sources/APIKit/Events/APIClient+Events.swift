extension APIClient {
    /// Returns the server-sent events of a request, which connects again whenever it has to.
    ///
    /// ```swift
    /// for try await event in client.events(of: PricesRequest(), with: "AAPL") {
    ///     show(event.data)
    /// }
    /// ```
    ///
    /// For the events of one connection alone, as of an answer that is generated, use
    /// ``stream(_:with:)`` and ``ByteStream/events``.
    ///
    /// - Parameters:
    ///   - request: The request type.
    ///   - input: The input to make each request from.
    ///   - delay: How long to wait before a connection is made again, unless the server says.
    ///     The source waits at least 100 milliseconds.
    ///   - maxLength: The number of bytes that a line of the stream, and the data of an event, may
    ///     have; 16 MiB unless given. See ``ByteStream/events(maxLength:)``.
    ///   - clock: The clock that it waits on.
    /// - Returns: The events, for which nothing is sent yet.
    public func events<Request: APIRequest>(
        of request: Request,
        with input: Request.RequestDataType,
        reconnectingAfter delay: Duration = .seconds(3),
        maxLength: Int = ByteStream.maxLength,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> EventSource<Request> {
        EventSource(
            client: self, request: request, input: input, delay: delay, maxLength: maxLength,
            clock: clock)
    }

    /// Returns the server-sent events of a request that needs no input.
    public func events<Request: APIRequest>(
        of request: Request,
        reconnectingAfter delay: Duration = .seconds(3),
        maxLength: Int = ByteStream.maxLength,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> EventSource<Request> where Request.RequestDataType == Void {
        events(
            of: request, with: (), reconnectingAfter: delay, maxLength: maxLength, clock: clock)
    }
}
