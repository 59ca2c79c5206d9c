import Foundation

@testable import APIKit
@testable import APIKitTesting

/// A client that writes and reads the bytes of HTTP/1.1.
struct PortClientUnderTest: Sendable {
    let socket = Socket()

    init(_ url: URL) {
        var port = UInt16(url.port ?? 0)
        let descriptor = socket.descriptor
        _ = Socket.withAddress(of: &port) { connect(descriptor, $0, $1) == 0 }
    }

    /// Sends a request with a `Host`, with a line break after each line.
    func send(_ lines: String..., body: String = "") {
        let lines = lines.prefix(1) + ["Host: x"] + lines.dropFirst()
        socket.send(Data((lines.map { $0 + "\r\n" }.joined() + "\r\n" + body).utf8))
    }

    /// Reads until a text has arrived, or else to the end of the connection.
    func text(until end: String? = nil) async -> String {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Blocking.start { [socket] in
                    var data = Data()
                    while end.map({ data.range(of: Data($0.utf8)) == nil }) ?? true,
                        socket.receive(into: &data)
                    {}
                    continuation.resume(returning: String(decoding: data, as: UTF8.self))
                }
            }
        } onCancel: {
            socket.shutdown()
        }
    }

    /// Reads to the end of the connection, and returns whether a reset ended it.
    func isReset() async throws -> Bool {
        try await Blocking.run { [socket] _ in
            var bytes = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = recv(socket.descriptor, &bytes, bytes.count, 0)
                if count <= 0 { return count < 0 && errno == ECONNRESET }
            }
        }
    }

    func close() { socket.close() }
}

extension MockServer {
    /// Listens, and connects a client.
    func withClient(
        as origin: URL? = nil, _ body: (PortClientUnderTest, URL) async throws -> Void
    ) async throws {
        try await listening(as: origin) { url in
            let client = PortClientUnderTest(url)
            defer { client.close() }
            try await body(client, url)
        }
    }

    /// Returns all that a client receives after a request with these lines and a `Host`.
    func exchange(
        _ lines: String..., host: String = "Host: x\r\n", body: String = "", origin: URL? = nil
    ) async throws -> String {
        try await exchange(lines: lines, host: host, body: body, origin: origin)
    }

    func exchange(
        lines: [String], host: String = "Host: x\r\n", body: String = "", origin: URL? = nil
    ) async throws -> String {
        try await listening(as: origin) { url in
            let client = PortClientUnderTest(url)
            defer { client.close() }
            let text =
                lines.map { $0 + "\r\n" }.joined() + "\(host)Connection: close\r\n\r\n" + body
            client.socket.send(Data(text.utf8))
            return await client.text()
        }
    }
}
