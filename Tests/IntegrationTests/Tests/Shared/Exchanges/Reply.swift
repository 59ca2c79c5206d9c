import FlyingFox
import FlyingSocks
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
    /// The response of a real server.
    var served: HTTPResponse {
        var fields = HTTPHeaders()
        for (name, value) in headers { fields.addValue(value, for: HTTPHeader(name)) }
        if case .chunks = body {
            // Without these, CFNetwork holds back the first 512 bytes while it guesses the type.
            fields[HTTPHeader("X-Content-Type-Options")] = "nosniff"
            fields[.contentType] = fields[.contentType] ?? "application/octet-stream"
        }
        let code = HTTPStatusCode(status, phrase: "Status")
        return switch body {
        case .data(let data): HTTPResponse(statusCode: code, headers: fields, body: data)
        case .chunks(let stream):
            HTTPResponse(
                statusCode: code, headers: fields,
                body: HTTPBodySequence(from: Chunks(stream: stream)))
        }
    }
}

/// The chunks of a body, each of which the server sends when it arrives.
private struct Chunks: AsyncBufferedSequence {
    typealias Element = UInt8

    let stream: AsyncStream<Data>

    func makeAsyncIterator() -> Iterator { Iterator(chunks: stream.makeAsyncIterator()) }

    struct Iterator: AsyncBufferedIteratorProtocol {
        typealias Element = UInt8

        var chunks: AsyncStream<Data>.Iterator
        var rest = Data()

        mutating func next() async -> UInt8? {
            while rest.isEmpty {
                guard let chunk = await chunks.next() else { return nil }
                rest = chunk
            }
            return rest.popFirst()
        }

        mutating func nextBuffer(suggested count: Int) async -> Data? {
            await chunks.next()
        }
    }
}
