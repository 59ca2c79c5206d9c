import APIKitTesting
import FlyingFox
import FlyingSocks
import Foundation

/// An answer that a mock and a server give each in its own way.
struct Reply: Sendable {
    enum Body: Sendable {
        case data(Data)
        case chunks(AsyncStream<Data>)
    }

    var status = 200
    var headers: [(name: String, value: String)] = []
    var body: Body

    /// An answer of text.
    static func text(_ text: String, status: Int = 200) -> Reply {
        Reply(status: status, body: .data(Data(text.utf8)))
    }

    /// An answer that comes in parts.
    static func chunks(_ chunks: [String]) -> Reply {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        for chunk in chunks { continuation.yield(Data(chunk.utf8)) }
        continuation.finish()
        return Reply(body: .chunks(stream))
    }

    /// An answer that sends the client elsewhere.
    static func redirect(_ status: Int = 302, to location: String) -> Reply {
        text("moved", status: status).header("Location", location)
    }

    func header(_ name: String, _ value: String) -> Reply {
        var reply = self
        reply.headers.append((name, value))
        return reply
    }
}

extension Reply {
    /// The answer as a server sends it.
    var served: HTTPResponse {
        var fields = HTTPHeaders()
        for (name, value) in headers { fields.addValue(value, for: HTTPHeader(name)) }
        if case .chunks = body {
            // CFNetwork otherwise delivers nothing until it has 512 bytes to guess the type from.
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

    /// The answer as a mock gives it.
    var mocked: MockResponse {
        let response: MockResponse =
            switch body {
            case .data(let data): .data(data, status: status)
            case .chunks(let stream): .stream(stream, status: status)
            }
        return headers.reduce(response) { $0.header($1.name, $1.value) }
    }
}

/// Parts of a body that are sent one by one.
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
