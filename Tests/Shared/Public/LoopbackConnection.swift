import Foundation

/// The server's end of a connection.
///
/// It blocks the thread that reads or writes.
final class LoopbackConnection {
    let socket: Int32
    /// What has arrived, and was not read yet.
    private var received = Data()
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    // Without it, a write to a closed connection ends the process.
    #if canImport(Glibc)
    private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
    private static let noSignal: Int32 = 0
    #endif

    init(_ socket: Int32) {
        self.socket = socket
        LoopbackSocket.closeInOtherProcesses(socket)
        // Otherwise the last packet of a response waits until the client acknowledges the one before.
        set(TCP_NODELAY, of: Int32(IPPROTO_TCP), to: Int32(1))
        #if !canImport(Glibc)
        set(SO_NOSIGPIPE, of: SOL_SOCKET, to: Int32(1))
        #endif
    }

    private func set<Value: BitwiseCopyable>(_ option: Int32, of level: Int32, to value: Value) {
        withUnsafeBytes(of: value) { bytes in
            _ = setsockopt(socket, level, option, bytes.baseAddress, socklen_t(bytes.count))
        }
    }

    /// Makes the server reset the connection instead of closing it.
    func resetWhenClosed() { set(SO_LINGER, of: SOL_SOCKET, to: linger(l_onoff: 1, l_linger: 0)) }

    /// Reads more bytes, or throws at the end of the connection.
    private func receive() throws {
        let count = recv(socket, &buffer, buffer.count, 0)
        guard count > 0 else { throw POSIXError(.ECONNRESET) }
        received += buffer[..<count]
    }

    /// Reads the next bytes, and throws when the client has closed the connection.
    func bytes() throws -> Data {
        if received.isEmpty { try receive() }
        defer { received = Data() }
        return received
    }

    private func bytes(before end: String) throws -> Data {
        while true {
            if let end = received.range(of: Data(end.utf8)) {
                defer { received = Data(received[end.upperBound...]) }
                return Data(received[..<end.lowerBound])
            }
            try receive()
        }
    }

    private func bytes(_ count: Int) throws -> Data {
        while received.count < count { try receive() }
        defer { received = Data(received.dropFirst(count)) }
        return Data(received.prefix(count))
    }

    /// Reads a line.
    func line() throws -> String { String(decoding: try bytes(before: "\r\n"), as: UTF8.self) }

    /// Reads the head of the next request, without the empty line at its end.
    func head() throws -> String { String(decoding: try bytes(before: "\r\n\r\n"), as: UTF8.self) }

    /// Reads the next request, without a body that is chunked.
    func request() throws -> LoopbackServer.Request {
        var request = LoopbackServer.Request(headBytes: try bytes(before: "\r\n\r\n"))
        if request.header("Expect") != nil, received.isEmpty {
            write("HTTP/1.1 100 Continue\r\n\r\n")
        }
        request.bodyBytes = try bytes(request.header("Content-Length").flatMap(Int.init) ?? 0)
        return request
    }

    /// Reads a body that is chunked, and throws if the connection ends before its last chunk.
    func chunkedBody() throws -> Data {
        var body = Data()
        while true {
            guard let size = Int(try line(), radix: 16) else { throw POSIXError(.EBADMSG) }
            let chunk = try bytes(size + 2)
            guard size > 0 else { return body }
            body += chunk.dropLast(2)
        }
    }

    /// Reads a number of bytes, and throws when the client has closed the connection.
    func skip(_ count: Int) throws {
        var rest = count
        while rest > 0 {
            let bytes = try bytes()
            received = Data(bytes.dropFirst(rest))
            rest -= bytes.count
        }
    }

    /// Reads until the client closes the connection, and returns the number of bytes.
    @discardableResult
    func skipToEnd() -> Int {
        var count = 0
        while let bytes = try? bytes() { count += bytes.count }
        return count
    }

    /// Sends a text, and returns whether the connection is still open.
    @discardableResult
    func write(_ text: String) -> Bool { write(Data(text.utf8)) }

    /// Sends bytes, and returns whether the connection is still open.
    @discardableResult
    func write(_ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let slice = UnsafeRawBufferPointer(rebasing: rest)
                let count = send(socket, slice.baseAddress, slice.count, Self.noSignal)
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }
}

extension LoopbackServer {
    /// The head and the body of a request as they arrived.
    struct Request: Sendable {
        let headBytes: Data
        var bodyBytes = Data()

        var head: String { String(decoding: headBytes, as: UTF8.self) }
        var body: String { String(decoding: bodyBytes, as: UTF8.self) }
        var path: String { head.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
        var method: String { head.split(separator: " ").first.map(String.init) ?? "" }

        func header(_ name: String) -> String? {
            for line in head.split(separator: "\r\n")
            where line.lowercased().hasPrefix(name.lowercased() + ":") {
                return line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
            }
            return nil
        }
    }
}
