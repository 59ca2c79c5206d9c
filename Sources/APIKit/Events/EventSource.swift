import Foundation

/// The server-sent events of a request, by one connection after the other.
///
/// It connects when the first event is asked for, and each loop over it anew. When a connection
/// ends or breaks, or none can be made, it waits and connects again, as section 9.2 of the WHATWG
/// HTML standard has it: with the header `Last-Event-ID` if an event had an identifier, so that the
/// server can go on from there. It waits as long as the server asked for by `retry`, or else as the
/// source was made; twice as long after each connection in a row that brought nothing, up to half a
/// minute. At least 100 milliseconds lie between two connections, even if the server asks for less.
///
/// A response of status 204 ends the events without an error. These errors end them:
///
/// - An ``APIError`` of kind ``APIError/Kind/status(_:)`` for any other status than 200. ``Retry`` may
///   send the request again before.
/// - An ``APIError`` of kind ``APIError/Kind/decoding`` for a `Content-Type` that is missing or is not
///   `text/event-stream`, with or without parameters.
/// - An ``APIError`` of kind ``APIError/Kind/decoding`` for an event that is too long.
/// - Any other error of a call, except of kind ``APIError/Kind/transport``. A ``Deadline`` is one.
/// - `CancellationError`, at once also while waiting.
///
/// Leaving the loop ends the request.
public struct EventSource<Request: APIRequest>: AsyncSequence, Sendable {
    /// One event.
    public typealias Element = ServerSentEvent

    let client: APIClient
    let request: Request
    let input: Request.RequestDataType
    let delay: Duration
    let maxLength: Int
    let clock: any Clock<Duration>

    /// Creates an iterator, which connects when it is asked for an event.
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
        /// How many connections in a row have brought nothing.
        private var failures = 0
        private var isOver = false

        init(_ source: EventSource) {
            self.source = source
            delay = source.delay
        }

        /// Returns the next event, connecting as often as it takes; `nil` is the end.
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

        /// Returns the next event of the connection, or `nil` if there is none.
        private mutating func read() async throws -> ServerSentEvent? {
            defer { remember() }
            do {
                if reader == nil { try await connect() }
                return try await reader?.next(isolation: nil)
            } catch let error as APIError where error.kind == .transport {
                // The connection is lost, and may be made again.
                return nil
            }
        }

        /// Keeps what the next connection needs to know of this one.
        private mutating func remember() {
            guard let reader, reader.hasRead else { return }
            failures = 0
            lastEventID = reader.parser.lastEventID
            delay = reader.parser.reconnectionTime ?? delay
        }

        private mutating func connect() async throws {
            let request = source.request
            let run = try CallRun(of: request, with: source.input, by: source.client) {
                try $0.setHeaders(headers, replacing: true)
                $0.cachePolicy = .reloadIgnoringLocalCacheData
            }
            let response = try await run.stream {
                $0.statusCode == 204 || $0.statusCode == 200 && request.accepts($0)
            }
            guard response.statusCode != 204 else {
                isOver = true
                // Read to its end, it is a success to the observers too.
                _ = try await response.value.data()
                return
            }
            guard response.http.isEventStream else {
                let type = response.http.value(forHTTPHeaderField: "Content-Type") ?? "nothing"
                throw response.value.end(for: Data(), "it is \(type), not text/event-stream")
            }
            reader = EventReader(
                response.value, lastEventID: lastEventID, maxLength: source.maxLength)
        }

        private var headers: [String: String] {
            var headers = ["Accept": "text/event-stream", "Cache-Control": "no-cache"]
            headers["Last-Event-ID"] = lastEventID
            return headers
        }

        private mutating func wait() async throws {
            reader = nil
            // A server may ask for a time that no clock can add to the present, or for none.
            var wait = Swift.max(.milliseconds(100), Swift.min(delay, .seconds(86_400)))
            for _ in 0..<failures where wait < .seconds(30) {
                wait = Swift.min(wait * 2, .seconds(30))
            }
            try await source.clock.sleep(for: wait)
            failures += 1
        }
    }
}

extension HTTPURLResponse {
    /// Whether the essence of the content type is that of an event stream (WHATWG MIME Sniffing).
    fileprivate var isEventStream: Bool {
        let type = value(forHTTPHeaderField: "Content-Type") ?? ""
        let essence = type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        return essence.lowercased() == "text/event-stream"
    }
}
