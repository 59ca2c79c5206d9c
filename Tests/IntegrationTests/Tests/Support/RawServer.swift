import APIKit
import FlyingSocks
import Foundation

/// A server that sends the bytes it is given, in one piece, and can hang up in the middle of them.
struct RawServer: Sendable {
    /// What a server does with a request.
    enum Reply: Sendable {
        /// Sends text and waits for the next request.
        case send(String)
        /// Sends text and closes the connection.
        case hangUp(after: String)
        /// Sends text and, once the client has had time to take it, breaks the connection.
        case reset(after: String)
        /// Sends nothing and leaves the connection open.
        case silence
    }

    let baseURL: URL

    /// Runs a server for the length of a closure, which replies to heads and expects no bodies.
    static func run<Output>(
        replying reply: @escaping @Sendable (_ head: String) -> Reply,
        while body: (RawServer) async throws -> Output
    ) async throws -> Output {
        let address = try sockaddr_in.inet(ip4: "127.0.0.1", port: 0)
        let socket = try Socket(domain: Int32(sockaddr_in.family))
        try socket.bind(to: address)
        try socket.listen()
        guard case .ip4(let host, let port) = try socket.sockname(),
            let baseURL = URL(string: "http://\(host):\(port)")
        else { throw URLError(.badURL) }
        let listener = try AsyncSocket(socket: socket, pool: try await .client)
        let running = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for try await connection in listener.sockets {
                    group.addTask { await serve(connection, by: reply) }
                }
            }
        }
        let result = await Result { try await body(RawServer(baseURL: baseURL)) }
        // Closed any earlier, the socket could be another server's by the time it is listened at.
        running.cancel()
        _ = await running.result
        try listener.close()
        return try result.get()
    }

    private static func serve(
        _ connection: AsyncSocket,
        by reply: @Sendable (String) -> Reply
    ) async {
        defer { try? connection.close() }
        var received = ""
        while let bytes = try? await connection.read(atMost: 4096) {
            received += String(decoding: bytes, as: UTF8.self)
            while let end = received.range(of: "\r\n\r\n") {
                let head = String(received[..<end.lowerBound])
                received.removeSubrange(..<end.upperBound)
                switch reply(head) {
                case .send(let text):
                    try? await connection.write(Data(text.utf8))
                case .hangUp(let text):
                    try? await connection.write(Data(text.utf8))
                    return
                case .reset(let text):
                    try? await connection.write(Data(text.utf8))
                    var linger = linger(l_onoff: 1, l_linger: 0)
                    setsockopt(
                        connection.socket.file.rawValue, SOL_SOCKET, SO_LINGER, &linger,
                        socklen_t(MemoryLayout<linger>.size))
                    return
                case .silence:
                    break
                }
            }
        }
    }

    /// Returns a request to this server.
    func request(_ path: String) throws -> URLRequest {
        guard let url = URL(string: path, relativeTo: baseURL) else { throw URLError(.badURL) }
        return URLRequest(url: url.absoluteURL)
    }
}

extension RawServer.Reply {
    /// A whole answer, after which the connection stays open.
    static func answer(
        _ status: Int = 200, _ text: String, headers: [String: String] = [:]
    ) -> Self {
        let fields = headers.merging(["Content-Length": "\(text.utf8.count)"]) { $1 }
        let lines = fields.map { "\($0.key): \($0.value)\r\n" }.joined()
        return .send("HTTP/1.1 \(status) Status\r\n\(lines)\r\n\(text)")
    }
}
