import Foundation

/// A reader of the server-sent events of a stream (WHATWG HTML standard, sections 9.2.5 and 9.2.6).
struct EventReader {
    /// The identifier of the event after which to resume the stream, if there is one.
    ///
    /// It is empty if the server has cleared it. The blank line at the end of an event sets it, even
    /// if the event has no data. An event that is cut off does not set it, so the server sends the
    /// event again.
    private(set) var lastEventID: String?

    /// The last reconnection time that the server has set, if any.
    private(set) var reconnectionTime: Duration?

    private(set) var lines: LineReader
    private var data = Data()
    private var type = ""
    private var id: String?
    private var retry: Duration?

    /// Creates a reader of a stream that resumes after an event.
    init(_ stream: ByteStream, lastEventID: String? = nil) {
        lines = LineReader(stream)
        self.lastEventID = lastEventID
        id = lastEventID
    }

    /// Returns the next event, or `nil` at the end.
    mutating func next(
        isolation: isolated (any Actor)?
    ) async throws -> ByteStream.Elements<ServerSentEvent>.Item? {
        repeat {
            while let line = lines.nextLine() {
                if line.isEmpty {
                    if let event = finish() { return (event, lines.stream) }
                } else {
                    read(line)
                    guard max(line.count, data.count - 1) <= lines.stream.maxLength else {
                        throw lines.end(forExcess: line, "an event")
                    }
                }
            }
        } while try await lines.readChunk(isolation: isolation)
        return nil
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
            id = String(decoding: value, as: UTF8.self)
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
            type: type.isEmpty ? "message" : type, id: id == "" ? nil : id, retry: retry)
    }
}
