import Foundation

extension APIClient {
    /// Returns the server-sent events of a request, and reconnects when a connection ends.
    ///
    /// ```swift
    /// for try await event in client.reconnectingEvents(of: PricesRequest(), with: "AAPL") {
    ///     show(event.data)
    /// }
    /// ```
    ///
    /// For the events of a single connection, such as a generated text, use ``stream(_:with:)`` and
    /// ``ByteStream/events``.
    ///
    /// Each loop connects when it asks for the first event. When a connection ends or fails, the loop
    /// waits and reconnects (WHATWG HTML standard, section 9.2). If an event had an identifier, the
    /// header field `Last-Event-ID` carries it, so that the server can resume after that event. An
    /// empty identifier removes the field. Each connection sends the request again, also a POST.
    ///
    /// The loop waits as long as the server's last `retry` says, or otherwise for the delay. The wait
    /// doubles with each consecutive connection that delivers nothing, up to 30 seconds. It is never
    /// less than 100 milliseconds.
    ///
    /// A response with status 204 ends the events without an error. These errors end them:
    ///
    /// - The error of ``APIRequest/parseError(_:)``, or an ``APIError`` of kind
    ///   ``APIError/Kind/status(_:)``, for any status except 200 and 204, and for a 200 that the
    ///   request type does not accept. Before that, ``Retry`` may send the request again.
    /// - An ``APIError`` of kind ``APIError/Kind/decoding`` for a `Content-Type` that is missing or is
    ///   not `text/event-stream`, with or without parameters, and for an event of more than 16 MiB.
    /// - Any other error of a call, such as the error of a ``Deadline`` or of an unhandled request in a
    ///   test. Only an ``APIError`` of kind ``APIError/Kind/transport`` whose cause is a `URLError` or a
    ///   `POSIXError` is a lost connection, unless no session may load the URL, or it redirects without
    ///   end.
    /// - `CancellationError`, at once, even while the loop waits.
    ///
    /// A loop that ends early cancels the request.
    ///
    /// - Parameters:
    ///   - request: The request type.
    ///   - input: The input to make each request from.
    ///   - delay: The time to wait before reconnecting, unless the server sets another.
    ///   - clock: The clock to wait on.
    /// - Returns: The events. The first request is sent when a loop asks for an event.
    public func reconnectingEvents<Request: APIRequest>(
        of request: Request,
        with input: Request.RequestDataType,
        delay: Duration = .seconds(3),
        clock: any Clock<Duration> = ContinuousClock()
    ) -> ByteStream.Elements<ServerSentEvent> {
        ByteStream.Elements {
            var source = EventSource(
                client: self, request: request, input: input, clock: clock, delay: delay)
            return { actor in try await source.next(isolation: actor) }
        }
    }

    /// Returns the server-sent events of a request that needs no input.
    public func reconnectingEvents<Request: APIRequest>(
        of request: Request,
        delay: Duration = .seconds(3),
        clock: any Clock<Duration> = ContinuousClock()
    ) -> ByteStream.Elements<ServerSentEvent> where Request.RequestDataType == Void {
        reconnectingEvents(of: request, with: (), delay: delay, clock: clock)
    }
}

/// The events of a request, over any number of connections.
private struct EventSource<Request: APIRequest> {
    let client: APIClient
    let request: Request
    let input: Request.RequestDataType
    let clock: any Clock<Duration>
    var delay: Duration
    var reader: EventReader?
    var lastEventID: String?
    /// The number of consecutive connections that have delivered nothing.
    var failures = 0
    var isOver = false

    /// Returns the next event, reconnecting if necessary, or `nil` at the end.
    mutating func next(
        isolation actor: isolated (any Actor)?
    ) async throws -> ByteStream.Elements<ServerSentEvent>.Item? {
        do {
            while !isOver {
                do {
                    // The rest of a chunk needs no wait, which would throw.
                    try Task.checkCancellation()
                    if reader == nil { try await connect(isolation: actor) }
                    if let event = try await reader?.next(isolation: actor) { return event }
                } catch let error as APIError where error.isLostConnection {
                    // Reconnect.
                }
                if !isOver { try await wait(isolation: actor) }
            }
        } catch {
            isOver = true
            reader = nil
            throw error
        }
        return nil
    }

    private mutating func connect(isolation actor: isolated (any Actor)?) async throws {
        var headers = ["Accept": "text/event-stream", "Cache-Control": "no-cache"]
        let id = lastEventID.map { $0.isFieldValue ? $0 : "" }
        headers["Last-Event-ID"] = id
        let run = try CallRun(of: request, with: input, by: client) {
            try $0.setHeaders(headers, replacing: true)
            // The server has cleared the identifier, also that of the request, or no field can have it.
            if id == "" { $0.setValue(nil, forHTTPHeaderField: "Last-Event-ID") }
            $0.cachePolicy = .reloadIgnoringLocalCacheData
        } accepting: { [request] in
            $0.statusCode == 204 || $0.statusCode == 200 && request.accepts($0)
        }
        let response = try await run.stream()
        guard response.statusCode != 204 else {
            isOver = true
            // For the observers, the call succeeds when the stream is read to its end.
            _ = try await response.value.data()
            return
        }
        guard response.http.mediaType == "text/event-stream" else {
            let type = response.http.value(forHTTPHeaderField: "Content-Type") ?? "missing"
            throw response.value.end(
                for: Data(),
                DecodingError("its Content-Type is \(type), not text/event-stream"))
        }
        reader = EventReader(response.value, lastEventID: lastEventID)
    }

    private mutating func wait(isolation actor: isolated (any Actor)?) async throws {
        if let reader, reader.lines.hasRead {
            failures = 0
            lastEventID = reader.lastEventID
            delay = reader.reconnectionTime ?? delay
        }
        reader = nil
        // A server may ask for no wait, or for one that overflows the clock's instant.
        var wait = Swift.max(.milliseconds(100), Swift.min(delay, .seconds(86_400)))
        for _ in 0..<failures where wait < .seconds(30) {
            wait = Swift.min(wait * 2, .seconds(30))
        }
        try await clock.sleep(
            for: wait,
            as: .delay {
                "reconnectingEvents(of: \(String(naming: Request.self))), before it reconnects"
            })
        failures += 1
    }
}

extension APIError {
    /// Whether a later connection may succeed.
    fileprivate var isLostConnection: Bool {
        guard kind == .transport else { return false }
        guard let code = urlError?.code else { return underlying is POSIXError }
        let final: [URLError.Code] = [
            .badURL, .unsupportedURL, .appTransportSecurityRequiresSecureConnection,
            .httpTooManyRedirects,
        ]
        return !final.contains(code)
    }
}
