import APIKit
import FlyingFox
import FlyingSocks
import Foundation
import Testing

extension Site {
    /// Runs two real servers with the same responses until the closure returns.
    static func run<Output>(
        with transport: any HTTPTransport, over version: HTTPVersion = .http1,
        respond: @escaping Responder, while body: (Site) async throws -> Output
    ) async throws -> Output {
        let log = RequestLog()
        let serve: LocalServer.Responder = { try await respond($0).served }
        return try await LocalServer.run(log: log, respond: serve) { server in
            try await LocalServer.run(log: log, respond: serve) { other in
                try await version.run(before: [server.baseURL, other.baseURL]) { urls in
                    let (first, last) = (try #require(urls.first), try #require(urls.last))
                    return try await body(
                        Site(transport: transport, baseURL: first, other: last) {
                            await log.requests
                        })
                }
            }
        }
    }
}

extension ReceivedRequest {
    /// Creates the request that a server received.
    init(_ request: HTTPRequest) async throws {
        self.init(
            method: request.method.rawValue, target: request.target.rawValue,
            body: try await request.bodyData,
            headers: request.headers.map { ($0.key.rawValue, $0.value) })
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

extension ExchangeTests.Breakage {
    /// Runs a closure with a transport and a request to a real server that fails in this way.
    func run<Output>(
        with transport: any HTTPTransport, over version: HTTPVersion = .http1,
        while body: (any HTTPTransport, URLRequest) async throws -> Output
    ) async throws -> Output {
        guard self != .refused else {
            let port = try RefusingPort()
            defer { withExtendedLifetime(port) {} }
            return try await body(transport, URLRequest(url: port.url))
        }
        let reply: LoopbackServer.Reply =
            switch self {
            case .silence: .silence
            case .reset: .reset(after: sent)
            default: .close(after: sent)
            }
        return try await LoopbackServer.run(over: version, respond: { _ in reply }) { server in
            var request = try server.request("/dogs")
            request.timeoutInterval = timeout
            return try await body(transport, request)
        }
    }
}
