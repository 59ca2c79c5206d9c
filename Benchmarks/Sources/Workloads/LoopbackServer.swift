import APIKit
import Foundation

/// A server on 127.0.0.1 that sends N bytes for `GET /N`, as fast as the client reads them.
final class LoopbackServer: Sendable {
    let url: URL
    private let listener: Int32

    init() throws {
        let port: UInt16
        (listener, port) = try LoopbackSocket.make()
        let listener = listener
        guard listen(listener, 128) == 0, let url = URL(string: "http://127.0.0.1:\(port)") else {
            throw POSIXError(.EADDRNOTAVAIL)
        }
        self.url = url
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread {
                    Self.serve(connection)
                    close(connection)
                }
            }
        }
    }

    deinit {
        // The accepting thread never closes the listener, so the descriptor is still valid.
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    func request(byteCount: Int) -> URLRequest {
        URLRequest(url: url.appending(path: "\(byteCount)"))
    }

    /// Responds to the requests of a connection until the client closes it.
    private static func serve(_ connection: Int32) {
        #if !canImport(Glibc)
        var isOn: Int32 = 1
        setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
        var received = ""
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            received += String(decoding: buffer[..<count], as: UTF8.self)
            while let end = received.range(of: "\r\n\r\n") {
                let path = received.split(separator: " ").dropFirst().first?.dropFirst()
                received.removeSubrange(..<end.upperBound)
                guard let size = path.flatMap({ Int($0) }), respond(connection, byteCount: size)
                else { return }
            }
        }
    }

    private static func respond(_ connection: Int32, byteCount: Int) -> Bool {
        let head = """
            HTTP/1.1 200 OK\r
            Content-Type: application/octet-stream\r
            Content-Length: \(byteCount)\r
            \r

            """
        guard sendAll(Array(head.utf8)[...], to: connection) else { return false }
        var rest = byteCount
        while rest > 0 {
            let piece = block.prefix(rest)
            guard sendAll(piece, to: connection) else { return false }
            rest -= piece.count
        }
        return true
    }

    private static let block = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 18)

    private static func sendAll(_ bytes: ArraySlice<UInt8>, to connection: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = send(
                    connection, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, noSignal)
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }

    // A write to a closed connection otherwise raises SIGPIPE, which ends the process. Darwin has a
    // socket option instead.
    #if canImport(Glibc)
    private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
    private static let noSignal: Int32 = 0
    #endif
}
