import Foundation

/// The server-sent events of a request, over any number of connections.
///
/// Each loop over the source connects when it asks for the first event. When a connection ends or
/// fails, the source waits and reconnects (WHATWG HTML standard, section 9.2). If an event had an
/// identifier, the header field `Last-Event-ID` carries it, so that the server can resume after
/// that event.
///
/// The source waits as long as the server's last `retry` says, or otherwise for its own delay.
/// The wait doubles with each consecutive connection that delivers nothing, up to 30 seconds. It is
/// never less than 100 milliseconds.
///
/// A response with status 204 ends the events without an error. These errors end them:
///
/// - The error of ``APIRequest/parseRefusal(_:)``, or an ``APIError`` of kind
///   ``APIError/Kind/status(_:)``, for any status except 200 and 204, and for a 200 that the
///   request type refuses. Before that, ``Retry`` may send the request again.
/// - An ``APIError`` of kind ``APIError/Kind/decoding`` for a `Content-Type` that is missing or is
///   not `text/event-stream`, with or without parameters.
/// - An ``APIError`` of kind ``APIError/Kind/decoding`` for an event that is too long.
/// - Any other error of a call, such as the error of a ``Deadline``, except an ``APIError`` of kind
///   ``APIError/Kind/transport``.
/// - `CancellationError`, at once, even while the source waits.
///
/// A loop that ends early cancels the request.
public struct EventSource<Request: APIRequest>: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent

    let client: APIClient
    let request: Request
    let input: Request.RequestDataType
    let delay: Duration
    let maxLength: Int
    let clock: any Clock<Duration>

    /// Creates an iterator, which connects when it needs an event.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(self)
    }
}

extension EventSource {
    /// The iterator of events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let source: EventSource
        private var reader: EventReader?
        private var lastEventID: String?
        private var delay: Duration
        /// The number of consecutive connections that have delivered nothing.
        private var failures = 0
        private var isOver = false

        init(_ source: EventSource) {
            self.source = source
            delay = source.delay
        }

        /// Returns the next event, reconnecting if necessary, or `nil` at the end.
        public mutating func next() async throws -> ServerSentEvent? {
            do {
                while !isOver {
                    if let event = try await read() { return event }
                    if !isOver { try await wait() }
                }
            } catch {
                isOver = true
                reader = nil
                throw error
            }
            return nil
        }

        /// Returns the next event of the connection, or `nil` if the connection ends.
        private mutating func read() async throws -> ServerSentEvent? {
            do {
                if reader == nil { try await connect() }
                return try await reader?.next(isolation: nil)
            } catch let error as APIError where error.kind == .transport {
                // The connection was lost; reconnect.
                return nil
            }
        }

        private mutating func connect() async throws {
            let request = source.request
            var headers = ["Accept": "text/event-stream", "Cache-Control": "no-cache"]
            headers["Last-Event-ID"] = lastEventID
            let run = try CallRun(of: request, with: source.input, by: source.client) {
                try $0.setHeaders(headers, replacing: true)
                $0.cachePolicy = .reloadIgnoringLocalCacheData
            } accepting: {
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
            reader = EventReader(
                response.value, lastEventID: lastEventID, maxLength: source.maxLength)
        }

        private mutating func wait() async throws {
            if let reader, reader.hasRead {
                failures = 0
                lastEventID = reader.parser.lastEventID
                delay = reader.parser.reconnectionTime ?? delay
            }
            reader = nil
            // A server may ask for no wait, or for one that overflows the clock's instant.
            var wait = Swift.max(.milliseconds(100), Swift.min(delay, .seconds(86_400)))
            for _ in 0..<failures where wait < .seconds(30) {
                wait = Swift.min(wait * 2, .seconds(30))
            }
            try await source.clock.sleep(
                for: wait, as: .delay { "EventSource<\(Request.self)>, before it reconnects" })
            failures += 1
        }
    }
}

extension EventSource: DumpsWithoutSecrets {
    package var dumped: KeyValuePairs<String, Any> {
        ["client": client, "request": "\(type(of: request))"]
    }
}
