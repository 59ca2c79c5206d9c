import FlyingSocks
import Foundation

/// The server's end of a connection.
struct RawConnection {
    private let socket: AsyncSocket
    private var received = Data()

    init(_ socket: AsyncSocket) {
        self.socket = socket
    }

    /// Reads the head of the next request, without the empty line at its end.
    mutating func head() async throws -> String {
        while true {
            if let end = received.range(of: Data("\r\n\r\n".utf8)) {
                defer { received.removeSubrange(..<end.upperBound) }
                return String(decoding: received[..<end.lowerBound], as: UTF8.self)
            }
            received += try await socket.read(atMost: 4096)
        }
    }

    /// Reads the next bytes of a body, and throws when the client has closed the connection.
    mutating func bytes() async throws -> Data {
        defer { received = Data() }
        return received.isEmpty ? Data(try await socket.read(atMost: 65_536)) : received
    }

    /// Reads a number of bytes, and throws when the client has closed the connection.
    mutating func skip(_ count: Int) async throws {
        var rest = count
        while rest > 0 {
            let bytes = try await bytes()
            received = Data(bytes.dropFirst(rest))
            rest -= bytes.count
        }
    }

    /// Reads until the client closes the connection, and returns the number of bytes read.
    mutating func skipToEnd() async -> Int {
        var count = 0
        while let bytes = try? await bytes() { count += bytes.count }
        return count
    }

    func send(_ text: String) async throws {
        try await send(Data(text.utf8))
    }

    func send(_ data: Data) async throws {
        try await socket.write(data)
    }

    /// Makes `close` reset the connection.
    func resetWhenClosed() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            socket.socket.file.rawValue, SOL_SOCKET, SO_LINGER, &linger,
            socklen_t(MemoryLayout<linger>.size))
    }
}
