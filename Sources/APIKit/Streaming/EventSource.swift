import Foundation

/// The server-sent events of a request, by one connection after the other.
///
/// It connects when the first event is asked for, and each loop over it anew. When a connection
/// ends or breaks, or none can be made, it waits and connects again, as section 9.2 of the WHATWG
/// HTML standard has it: with the header `Last-Event-ID` if an event had an identifier, so that the
/// server can go on from there. It waits as long as the server asked for by `retry`, or else as the
/// source was made; twice as long after each connection in a row that brought nothing, up to half a
/// minute.
///
/// The events end with a response of status 204. Whatever else ends a call ends them with that
/// error: a refused status, which ``Retry`` may handle before, a ``Deadline``, a response that is no
/// event stream, and cancellation, at once also while waiting. Leaving the loop ends the request.
public struct EventSource<Request: APIRequest>: AsyncSequence, Sendable {
    /// One event.
    public typealias Element = ServerSentEvent

    let client: APIClient
    let request: Request
    let input: Request.RequestDataType
    let delay: Duration
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
        private var stream: ByteStream.AsyncIterator?
        private var parser = ServerSentEventParser()
        private var events: ArraySlice<ServerSentEvent> = []
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
                    if let event = events.popFirst() { return event }
                    try await read()
                }
            } catch {
                isOver = true
                stream = nil
                throw error
            }
            return nil
        }

        /// Makes one step: connects, reads a chunk, or waits.
        private mutating func read() async throws {
            do {
                if stream == nil { try await connect() }
                if let chunk = try await stream?.next() {
                    failures = 0
                    events = parser.events(in: chunk)[...]
                    lastEventID = parser.lastEventID
                    delay = parser.reconnectionTime ?? delay
                    return
                }
            } catch let error as APIError where error.kind == .transport {
                // The connection is lost, and may be made again.
            }
            if !isOver { try await wait() }
        }

        private mutating func connect() async throws {
            var call = try source.client.makeCall(of: source.request, with: source.input)
            try call.request.setHeaders(headers, replacing: true)
            let response = try await source.client.stream(call)
            guard response.statusCode != 204 else {
                isOver = true
                // Read to its end, it is a success to the observers too.
                _ = try await response.value.data()
                return
            }
            do {
                try response.value.context?.checkIsEventStream()
            } catch {
                response.value.cancel(throwing: error)
                throw error
            }
            parser = ServerSentEventParser(lastEventID: lastEventID)
            stream = response.value.makeAsyncIterator()
        }

        private var headers: [String: String] {
            var headers = ["Accept": "text/event-stream", "Cache-Control": "no-store"]
            headers["Last-Event-ID"] = lastEventID
            return headers
        }

        private mutating func wait() async throws {
            stream = nil
            // A server may ask for a time that no clock can add to the present.
            var wait = Swift.min(delay, .seconds(86_400))
            for _ in 0..<failures where wait < .seconds(30) {
                wait = Swift.min(wait * 2, .seconds(30))
            }
            try await source.clock.sleep(for: wait)
            failures += 1
        }
    }
}

extension ByteStream.Context {
    fileprivate func checkIsEventStream() throws {
        let type = http.value(forHTTPHeaderField: "Content-Type") ?? "nothing"
        guard type.lowercased().hasPrefix("text/event-stream") else {
            let context = DecodingError.Context(
                codingPath: [], debugDescription: "it is \(type), not text/event-stream")
            throw undecodable(Data(), DecodingError.dataCorrupted(context))
        }
    }
}
