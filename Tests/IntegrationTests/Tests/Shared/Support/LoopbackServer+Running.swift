import APIKit
import Foundation

extension LoopbackServer {
    /// What the server does with a request.
    enum Reply: Sendable {
        /// Sends text and waits for the next request.
        case send(String)
        /// Sends text and closes the connection.
        case close(after: String)
        /// Sends text, and resets the connection.
        case reset(after: String)
        /// Sends nothing, and keeps the connection open.
        case silence
        /// Sends a large body, in which each byte is its offset modulo 251.
        case flood(megabytes: Int, whenSent: @Sendable () -> Void = {})
    }

    /// Runs a server, which reads only request heads, until the closure returns.
    ///
    /// The closure receives the URL of the server.
    static func run<Output>(
        over version: HTTPVersion = .http1,
        respond: @escaping @Sendable (_ head: String) -> Reply,
        while body: (URL) async throws -> Output
    ) async throws -> Output {
        try await run(
            over: version,
            serve: { connection in
                while true {
                    switch respond(try connection.head()) {
                    case .send(let text):
                        connection.write(text)
                    case .close(let text):
                        connection.write(text)
                        return
                    case .reset(let text):
                        connection.write(text)
                        return connection.resetWhenClosed()
                    case .silence:
                        break
                    case .flood(let megabytes, let whenSent):
                        connection.write(
                            "HTTP/1.1 200 OK\r\nContent-Length: \(megabytes << 20)\r\n\r\n")
                        for number in 0..<megabytes {
                            guard connection.write(megabyte(at: number << 20)) else { return }
                        }
                        whenSent()
                    }
                }
            }, while: body)
    }

    /// Runs a server until the closure returns.
    ///
    /// `serve` handles a connection. The server closes the connection when it returns or throws.
    static func run<Output>(
        over version: HTTPVersion = .http1,
        serve: @escaping @Sendable (LoopbackConnection) throws -> Void,
        while body: (URL) async throws -> Output
    ) async throws -> Output {
        let server = try LoopbackServer.serving(serve)
        let result = await Result { try await version.run(before: server.url(""), while: body) }
        await server.stop()
        return try result.get()
    }

    /// A megabyte of a large body.
    private static func megabyte(at start: Int) -> Data {
        Data(pattern[(start % 251)...].prefix(1 << 20))
    }

    /// Returns the number of bytes that differ from the bytes of the large body at an offset.
    static func misplacedBytes(in part: Data, at start: Int) -> Int {
        var (misplaced, rest) = (0, part[...])
        while !rest.isEmpty {
            let offset = start + part.count - rest.count
            let expected = pattern[(offset % 251)...].prefix(min(rest.count, 1 << 20))
            if rest.prefix(expected.count) != expected { misplaced += expected.count }
            rest = rest.dropFirst(expected.count)
        }
        return misplaced
    }

    private static let pattern = Data((0..<(1 << 20 + 251)).map { UInt8($0 % 251) })
}

extension LoopbackConnection {
    /// Responds with 413 before the body of an upload has arrived, and reads the rest.
    func refuseUpload() throws {
        _ = try head()
        write(.response(413, "too large", headers: ["Connection": "close"]))
        skipToEnd()
    }
}

extension LoopbackServer.Reply {
    /// A complete response, after which the connection stays open.
    static func response(
        _ status: Int = 200, _ text: String, headers: [String: String] = [:]
    ) -> Self {
        .send(.response(status, text, headers: headers))
    }
}

extension String {
    /// A response with a trailer.
    static let trailer =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n"

    /// A complete response as text.
    static func response(
        _ status: Int = 200, _ text: String, headers: [String: String] = [:]
    ) -> String {
        let fields = headers.merging(["Content-Length": "\(text.utf8.count)"]) { $1 }
        let lines = fields.map { "\($0.key): \($0.value)\r\n" }.joined()
        return "HTTP/1.1 \(status) Status\r\n\(lines)\r\n\(text)"
    }
}

extension URL {
    /// Returns a request to a server with this URL.
    func request(_ reference: String, method: String = "GET") throws -> URLRequest {
        guard let url = URL(string: reference, relativeTo: self) else { throw URLError(.badURL) }
        var request = URLRequest(url: url.absoluteURL)
        request.httpMethod = method
        return request
    }
}
