import Foundation

/// A response that a server can send.
struct Reply: Sendable {
    enum Body: Sendable {
        case data(Data)
        case chunks(AsyncStream<Data>)
    }

    var status = 200
    var headers: [(name: String, value: String)] = []
    var body: Body

    /// A response with a text body.
    static func text(_ text: String, status: Int = 200) -> Reply {
        Reply(status: status, body: .data(Data(text.utf8)))
    }

    /// A response whose body is sent in chunks.
    static func chunks(_ chunks: [String]) -> Reply {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        for chunk in chunks { continuation.yield(Data(chunk.utf8)) }
        continuation.finish()
        return Reply(body: .chunks(stream))
    }

    /// A redirect to a location.
    static func redirect(_ status: Int = 302, to location: String) -> Reply {
        text("moved", status: status).header("Location", location)
    }

    /// The text "Rex", compressed with gzip.
    static let gzip = Reply(
        body: .data(
            Data([
                0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xFF, 0x0B, 0x4A, 0xAD, 0x00,
                0x00, 0x20, 0x45, 0x2D, 0xD6, 0x03, 0x00, 0x00, 0x00,
            ]))
    ).header("Content-Encoding", "gzip")

    func header(_ name: String, _ value: String) -> Reply {
        var reply = self
        reply.headers.append((name, value))
        return reply
    }
}

extension Reply {
    /// The header fields and the body that a session without a network receives.
    func sent(to method: String?) -> (fields: [String: String], body: AsyncStream<Data>) {
        var fields = Dictionary(headers.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        switch body {
        case .chunks(let stream): return (fields, stream)
        case .data(let data):
            if ![204, 304].contains(status) { fields["Content-Length"] = "\(data.count)" }
            let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
            if method != "HEAD", !data.isEmpty { continuation.yield(data) }
            continuation.finish()
            return (fields, stream)
        }
    }
}
