import Foundation

/// A reader of the server-sent events of a stream.
struct EventReader {
    /// Whether the stream has delivered a chunk.
    private(set) var hasRead = false
    private(set) var parser: ServerSentEventParser
    private let stream: ByteStream
    private let lease: ByteStream.Lease
    private var events = [ServerSentEvent]().makeIterator()

    init(_ stream: ByteStream, lastEventID: String? = nil, maxLength: Int) {
        self.stream = stream
        lease = stream.makeAsyncIterator().lease
        parser = ServerSentEventParser(lastEventID: lastEventID, maxLength: maxLength)
    }

    /// Returns the next event, or `nil` at the end.
    mutating func next(isolation: isolated (any Actor)?) async throws -> ServerSentEvent? {
        while true {
            if let event = events.next() { return event }
            if let excess = parser.excess {
                throw stream.end(
                    for: excess.prefix(APIError.bodyLimit),
                    "an event is longer than \(parser.maxLength) bytes")
            }
            guard let chunk = try await lease.reading.next() else { return nil }
            hasRead = true
            events = parser.events(in: chunk).makeIterator()
        }
    }
}
