#if canImport(FoundationNetworking)
import APIKit
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
        try await LoopbackServer.run(serve: serve, while: body)
    }

    @Sendable private func serve(_ client: LoopbackConnection) throws {
        let head = try client.head()
        if case .refuses(let status) = self {
            client.write(
                """
                HTTP/1.1 \(status) No\r\n\(Self.fields)Proxy-Authenticate: Basic realm="proxy"\r
                Location: https://127.0.0.1:1/\r\nContent-Length: 2\r\n\r\nno
                """)
            return
        }
        let target = head.split(separator: " ")[at: 1] ?? ""
        let port = target.split(separator: ":").last.flatMap { UInt16($0) }
        let socket = LoopbackSocket.connection(to: port ?? 0)
        defer { close(socket) }
        client.write("HTTP/1.1 200 Connection established\r\n\(Self.fields)\r\n")
        let clientSocket = client.socket
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            defer { isDone.signal() }
            Self.copy(LoopbackConnection(socket), to: LoopbackConnection(clientSocket))
        }
        Self.copy(client, to: LoopbackConnection(socket))
        isDone.wait()
    }

    /// Copies until one side ends, and ends the other side.
    private static func copy(_ source: LoopbackConnection, to destination: LoopbackConnection) {
        while let bytes = try? source.bytes(), destination.write(bytes) {}
        for end in [source, destination] { shutdown(end.socket, Int32(SHUT_RDWR)) }
    }
}
#endif
