extension APIClient {
    /// Returns the server-sent events of a request, and reconnects when a connection ends.
    ///
    /// ```swift
    /// for try await event in client.events(of: PricesRequest(), with: "AAPL") {
    ///     show(event.data)
    /// }
    /// ```
    ///
    /// For the events of a single connection, such as a generated text, use ``stream(_:with:)`` and
    /// ``ByteStream/events``.
    ///
    /// - Parameters:
    ///   - request: The request type.
    ///   - input: The input to make each request from.
    ///   - delay: The time to wait before reconnecting, unless the server sets another. The source
    ///     waits at least 100 milliseconds.
    ///   - maxLength: The maximum number of bytes in a line, and in the data of an event. The
    ///     default is 16 MiB. See ``ByteStream/events(maxLength:)``.
    ///   - clock: The clock to wait on.
    /// - Returns: The events. The first request is sent when a loop asks for an event.
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
