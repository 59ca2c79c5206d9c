import Foundation

/// A connection of a ``LoopbackServer``.
///
/// It handles bytes without strings, and sends a small response in one packet. So it takes less time
/// than any client.
struct LoopbackConnection {
    private let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        // Otherwise the last packet of a response waits until the client acknowledges the one before.
        set(TCP_NODELAY, of: Int32(IPPROTO_TCP))
        #if !canImport(Glibc)
        set(SO_NOSIGPIPE, of: SOL_SOCKET)
        #endif
    }

    /// Responds to requests until the client closes the connection, or sends a wrong request.
    func serve() {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            while let end = received.endOfHead {
                let head = received[..<end]
                let words = head.split(separator: UInt8(ascii: " "), maxSplits: 2)
                guard words.count == 3,
                    let size = Int(String(decoding: words[1].dropFirst(), as: UTF8.self))
                else { return }
                if words[0].elementsEqual("GET".utf8) {
                    received.removeSubrange(..<end)
                    guard respond(byteCount: size) else { return }
                } else {
                    guard accept(head, byteCount: size),
                        skip(size - (received.count - end), into: &buffer), respond(byteCount: 0)
                    else { return }
                    received = []
                }
            }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            received += buffer[..<count]
        }
    }

    private func set(_ option: Int32, of level: Int32) {
        var isOn: Int32 = 1
        setsockopt(descriptor, level, option, &isOn, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Returns whether the head of an upload announces the number of bytes in its path.
    ///
    /// If the client waits for a 100 (Continue), it sends one.
    private func accept(_ head: ArraySlice<UInt8>, byteCount: Int) -> Bool {
        let text = String(decoding: head, as: UTF8.self).lowercased()
        guard text.contains("\r\ncontent-length: \(byteCount)\r\n") else { return false }
        guard text.contains("\r\nexpect: 100-continue\r\n") else { return true }
        return sendAll(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)[...])
    }

    /// Reads a number of bytes, and discards them.
    private func skip(_ byteCount: Int, into buffer: inout [UInt8]) -> Bool {
        var rest = byteCount
        while rest > 0 {
            let count = recv(descriptor, &buffer, min(rest, buffer.count), 0)
            guard count > 0 else { return false }
            rest -= count
        }
        return rest == 0
    }

    private func respond(byteCount: Int) -> Bool {
        let head = """
            HTTP/1.1 200 OK\r
            Content-Type: application/octet-stream\r
            Content-Length: \(byteCount)\r
            \r

            """
        var rest = min(byteCount, 1 << 14)
        var start = Array(head.utf8) + Self.block.prefix(rest)
        if rest == byteCount, rest > 1 {
            for index in [start.count - rest, start.count - 1] { start[index] = UInt8(ascii: "\"") }
        }
        guard sendAll(start[...]) else { return false }
        rest = byteCount - rest
        while rest > 0 {
            let piece = Self.block.prefix(rest)
            guard sendAll(piece) else { return false }
            rest -= piece.count
        }
        return true
    }

    private static let block = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 18)

    private func sendAll(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = send(
                    descriptor, bytes.baseAddress?.advanced(by: sent), bytes.count - sent,
                    Self.noSignal)
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

extension [UInt8] {
    /// The index after the empty line that ends a head, if it has arrived.
    fileprivate var endOfHead: Int? {
        guard count >= 4 else { return nil }
        return (4...count).first { end in
            self[end - 1] == 10 && self[end - 2] == 13 && self[end - 3] == 10 && self[end - 4] == 13
        }
    }
}
