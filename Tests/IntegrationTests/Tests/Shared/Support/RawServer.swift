import APIKit
import FlyingSocks
import Foundation

/// A server that sends given bytes, and can close the connection after any byte.
struct RawServer: Sendable {
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

    let baseURL: URL

    /// Runs a server, which reads only request heads, until the closure returns.
    static func run<Output>(
        over version: HTTPVersion = .http1,
        respond: @escaping @Sendable (_ head: String) -> Reply,
        while body: (RawServer) async throws -> Output
    ) async throws -> Output {
        try await run(
            over: version,
            serve: { connection in
                while true {
                    switch respond(try await connection.head()) {
                    case .send(let text):
                        try await connection.send(text)
                    case .close(let text):
                        return try await connection.send(text)
                    case .reset(let text):
                        try await connection.send(text)
                        return connection.resetWhenClosed()
                    case .silence:
                        break
                    case .flood(let megabytes, let whenSent):
                        try await connection.send(
                            "HTTP/1.1 200 OK\r\nContent-Length: \(megabytes << 20)\r\n\r\n")
                        for number in 0..<megabytes {
                            try await connection.send(megabyte(at: number << 20))
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
        serve: @escaping @Sendable (inout RawConnection) async throws -> Void,
        while body: (RawServer) async throws -> Output
    ) async throws -> Output {
        LoopbackSocket.connectDirectly()
        let address = try sockaddr_in.inet(ip4: "127.0.0.1", port: 0)
        let socket = try Socket(domain: Int32(sockaddr_in.family))
        socket.closeInOtherProcesses()
        try socket.bind(to: address)
        try socket.listen()
        guard case .ip4(let host, let port) = try socket.sockname(),
            let baseURL = URL(string: "http://\(host):\(port)")
        else { throw URLError(.badURL) }
        let listener = try AsyncSocket(socket: socket, pool: try await .client)
        let running = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for try await socket in listener.sockets {
                    socket.socket.closeInOtherProcesses()
                    group.addTask {
                        var connection = RawConnection(socket)
                        try? await serve(&connection)
                        try? socket.close()
                    }
                }
            }
        }
        let result = await Result {
            try await version.run(before: baseURL) { try await body(RawServer(baseURL: $0)) }
        }
        // Closes the socket last. Until then, no other server can reuse its descriptor.
        running.cancel()
        _ = await running.result
        try listener.close()
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

    /// Returns a request to this server.
    func request(_ path: String, method: String = "GET") throws -> URLRequest {
        guard let url = URL(string: path, relativeTo: baseURL) else { throw URLError(.badURL) }
        var request = URLRequest(url: url.absoluteURL)
        request.httpMethod = method
        return request
    }
}

extension RawServer.Reply {
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

extension Socket {
    /// Closes the socket in child processes that a test starts.
    fileprivate func closeInOtherProcesses() {
        _ = fcntl(file.rawValue, F_SETFD, FD_CLOEXEC)
    }
}
