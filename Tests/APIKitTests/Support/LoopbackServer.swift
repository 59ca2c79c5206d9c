import APIKit
import Foundation

/// A server of one connection for each request on 127.0.0.1, for what only real HTTP can show.
final class LoopbackServer: Sendable {
    /// The head of a request as it arrived, and its body.
    struct Request: Sendable {
        let headBytes: Data
        let bodyBytes: Data

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

    let port: UInt16
    private let listener: Int32
    private let received = Locked<[Request]>([])
    private let isClosed = Locked(false)

    /// The requests that arrived, in order.
    var requests: [Request] { received.withLock { $0 } }

    /// Starts a server that answers each request with the text of a response.
    convenience init(respond: @escaping @Sendable (Request) -> String) throws {
        try self.init { request, connection in connection.write(respond(request)) }
    }

    /// Starts a server that serves each connection on a thread of its own, and then closes it.
    init(serve: @escaping @Sendable (Request, LoopbackConnection) -> Void) throws {
        (listener, port) = try LoopbackSocket.make()
        guard listen(listener, 128) == 0 else { throw POSIXError(.EADDRINUSE) }
        let listener = listener
        let (received, isClosed) = (received, isClosed)
        Thread.detachNewThread {
            while !isClosed.withLock({ $0 }) {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else {
                    // A client that is gone by now is no reason to turn the next one away, and a
                    // number for it may be free in a moment.
                    if errno == EMFILE || errno == ENFILE { usleep(10_000) }
                    continue
                }
                // Nor is one that takes its time, or that was cancelled before it asked.
                Thread.detachNewThread {
                    defer { close(connection) }
                    guard let request = Request(from: connection) else { return }
                    received.withLock { $0.append(request) }
                    serve(request, LoopbackConnection(socket: connection))
                }
            }
            #if canImport(Glibc)
            close(listener)
            #endif
        }
    }

    deinit {
        #if canImport(Glibc)
        // The thread closes it: closed here, it could be another server's when the thread accepts.
        shutdown(listener, Int32(SHUT_RDWR))
        isClosed.withLock { $0 = true }
        #else
        isClosed.withLock { $0 = true }
        // Nothing else wakes the thread.
        close(listener)
        #endif
    }

    func url(_ path: String) -> URL {
        URL(string: "http://127.0.0.1:\(port)\(path)") ?? URL(filePath: path)
    }

    /// The text of a response with a body and headers.
    static func response(_ status: Int, _ headers: [String] = [], body: String = "") -> String {
        head(status, ["Content-Length: \(body.utf8.count)"] + headers) + body
    }

    /// The text of the head of a response, whose body ends with the connection unless it says so.
    ///
    /// The head states the type of the body. CFNetwork would otherwise deliver nothing until it has
    /// 512 bytes to guess the type from.
    static func head(_ status: Int = 200, _ headers: [String] = []) -> String {
        let hasType = headers.contains { $0.lowercased().hasPrefix("content-type:") }
        return
            (["HTTP/1.1 \(status) Status", "Connection: close", "X-Content-Type-Options: nosniff"]
            + (hasType ? [] : ["Content-Type: application/octet-stream"]) + headers + ["", ""])
            .joined(separator: "\r\n")
    }
}

extension LoopbackServer.Request {
    fileprivate init?(from connection: Int32) {
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
            guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { continue }
            let request = Self(
                headBytes: bytes[..<end.lowerBound], bodyBytes: bytes[end.upperBound...])
            let length = request.header("Content-Length").flatMap(Int.init) ?? 0
            guard request.bodyBytes.count >= length else { continue }
            self = request
            return
        }
    }
}

/// A client that waits for an answer, which a test may send in parts and in its own time.
struct LoopbackConnection: Sendable {
    let socket: Int32

    // Writing to a client that has left would otherwise end the process.
    #if canImport(Glibc)
    private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
    private static let noSignal: Int32 = 0
    #endif

    init(socket: Int32) {
        self.socket = socket
        #if !canImport(Glibc)
        var isOn: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// Sends text, and tells whether the client is still there.
    @discardableResult
    func write(_ text: String) -> Bool { write(Data(text.utf8)) }

    /// Sends bytes, and tells whether the client is still there.
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

    /// Waits until the client has closed the connection.
    func waitUntilClosed() {
        var byte: UInt8 = 0
        while recv(socket, &byte, 1, 0) > 0 {}
    }
}
