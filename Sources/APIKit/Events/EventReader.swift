import Foundation

/// A reader of the server-sent events of a stream.
struct EventReader {
    /// Whether the stream has delivered a chunk.
    private(set) var hasRead = false
    private(set) var parser: ServerSentEventParser
    private let stream: ByteStream
    private let lease: ByteStream.Lease
    private var events = [ServerSentEvent]().makeIterator()

    init(_ stream: ByteStream, lastEventID: String? = nil) {
        self.stream = stream
        lease = stream.makeAsyncIterator().lease
        parser = ServerSentEventParser(lastEventID: lastEventID, maxLength: stream.maxLength)
    }

    /// Returns the next event, or `nil` at the end.
    mutating func next(
        isolation: isolated (any Actor)?
    ) async throws -> ByteStream.Elements<ServerSentEvent>.Item? {
        while true {
            if let event = events.next() { return (event, stream) }
            if let excess = parser.excess {
                throw stream.end(
                    for: excess.prefix(APIError.bodyLimit),
                    DecodingError("an event is longer than \(parser.maxLength) bytes"))
            }
            guard let chunk = try await lease.reading.next() else { return nil }
            hasRead = true
            events = parser.events(in: chunk).makeIterator()
        }
    }
}

/// An incremental parser of an event stream (WHATWG HTML standard, sections 9.2.5 and 9.2.6).
///
/// It fails only for an event that is too long.
struct ServerSentEventParser {
    /// The identifier of the event after which to resume the stream, if there is one.
    ///
    /// The blank line at the end of an event sets it, even if the event has no data. An event that
    /// is cut off does not set it, so the server sends the event again.
    private(set) var lastEventID: String?

    /// The last reconnection time that the server has set, if any.
    private(set) var reconnectionTime: Duration?

    /// The line that makes an event too long, after which the parser stops.
    private(set) var excess: Data?

    /// The maximum number of bytes in a line, and in the data of an event.
    let maxLength: Int

    private var splitter = LineSplitter()
    private var data = Data()
    private var type = ""
    private var id: String?
    private var retry: Duration?

    /// Creates a parser of a stream that resumes after an event.
    init(lastEventID: String? = nil, maxLength: Int = .max) {
        self.lastEventID = lastEventID
        self.maxLength = maxLength
        id = lastEventID
    }

    /// Returns the events that end in a chunk.
    mutating func events(in chunk: Data) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        for line in splitter.lines(in: chunk) {
            if !line.isEmpty {
                read(line)
                guard line.count <= maxLength, data.count - 1 <= maxLength else {
                    excess = Data(line)
                    return events
                }
            } else if let event = finish() {
                events.append(event)
            }
        }
        if splitter.isLongerThan(maxLength) { excess = splitter.rest() }
        return events
    }

    // Compare bytes: a colon and a combining mark after it form one `Character`. A comment is a field
    // without a name.
    private mutating func read(_ line: Data) {
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "data":
            data.append(value)
            data.append(UInt8(ascii: "\n"))
        case "event":
            type = String(decoding: value, as: UTF8.self)
        case "id" where !value.contains(0):
            id = value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
        case "retry" where !value.isEmpty && value.allSatisfy("0123456789".utf8.contains):
            retry = .milliseconds(Int64(String(decoding: value, as: UTF8.self)) ?? .max)
            reconnectionTime = retry
        default: break
        }
    }

    private mutating func finish() -> ServerSentEvent? {
        defer {
            data = Data()
            type = ""
            retry = nil
        }
        lastEventID = id
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(
            data: String(decoding: data.dropLast(), as: UTF8.self),
            type: type.isEmpty ? "message" : type, id: id, retry: retry)
    }
}
