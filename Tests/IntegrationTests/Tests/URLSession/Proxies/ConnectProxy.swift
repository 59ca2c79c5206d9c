#if canImport(FoundationNetworking)
import APIKit
import FlyingSocks
import Foundation

/// A proxy for CONNECT (RFC 9110, section 9.3.6), which connects only to 127.0.0.1.
enum ConnectProxy {
    /// Connects to the server.
    case tunnels
    /// Refuses each connection with a status.
    case refuses(Int)

    private static let fields = "X-From-Proxy: yes\r\nSet-Cookie: proxy=1; Path=/\r\n"

    /// Runs the proxy until the closure returns.
    func run<Output>(while body: (URL) async throws -> Output) async throws -> Output {
        try await RawServer.run(serve: serve) { try await body($0.baseURL) }
    }

    @Sendable private func serve(_ client: inout RawConnection) async throws {
        let head = try await client.head()
        if case .refuses(let status) = self {
            return try await client.send(
                """
                HTTP/1.1 \(status) No\r\n\(Self.fields)Proxy-Authenticate: Basic realm="proxy"\r
                Location: https://127.0.0.1:1/\r\nContent-Length: 2\r\n\r\nno
                """)
        }
        let target = head.split(separator: " ")[1]
        let port = target.split(separator: ":").last.flatMap { UInt16($0) }
        let socket = try await AsyncSocket.connected(to: .inet(ip4: "127.0.0.1", port: port ?? 0))
        defer { try? socket.close() }
        try await client.send("HTTP/1.1 200 Connection established\r\n\(Self.fields)\r\n")
        let ends = (client, RawConnection(socket))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (source, destination) in [ends, (ends.1, ends.0)] {
                group.addTask {
                    var source = source
                    while true { try await destination.send(try await source.bytes()) }
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
#endif
