import Foundation

/// A server on 127.0.0.1 that serves one request for each connection.
final class LoopbackServer: Sendable {
    /// The head and the body of a request as they arrived.
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
    private let log = Log()

    /// The requests that arrived, in order.
    var requests: [Request] { log.requests }

    /// Starts a server that sends the text of a response to each request.
    convenience init(respond: @escaping @Sendable (Request) -> String) throws {
        try self.init { request, connection in connection.write(respond(request)) }
    }

    /// Starts a server that serves each connection on a separate thread, and then closes it.
    init(serve: @escaping @Sendable (Request, LoopbackConnection) -> Void) throws {
        (listener, port) = try LoopbackSocket.make()
        guard listen(listener, 128) == 0 else { throw POSIXError(.EADDRINUSE) }
        let (listener, log) = (listener, log)
        Thread.detachNewThread {
            // If another thread closed the descriptor, another server could reuse its number while this
            // thread still uses it.
            defer { close(listener) }
            while true {
                let connection = accept(listener, nil, nil)
                guard !log.isClosed else {
                    if connection >= 0 { close(connection) }
                    return
                }
                guard connection >= 0 else {
                    // `accept` also fails for a client that closed its connection. The process can
                    // reach its limit on files for a moment.
                    if errno == EMFILE || errno == ENFILE { usleep(10_000) }
                    continue
                }
                // A slow client, or one that sends no request, must not block the others.
                Thread.detachNewThread {
                    defer { close(connection) }
                    guard let request = Request(from: connection) else { return }
                    log.append(request)
                    serve(request, LoopbackConnection(socket: connection))
                }
            }
        }
    }

    deinit {
        log.close()
        // Wake the accepting thread, which closes the descriptor.
        #if canImport(Glibc)
        shutdown(listener, Int32(SHUT_RDWR))
        #else
        // Darwin does not shut down a socket that listens.
        LoopbackSocket.connectOnce(to: port)
        #endif
    }

    func url(_ path: String) -> URL {
        URL(string: "http://127.0.0.1:\(port)\(path)") ?? URL(filePath: path)
    }

    /// The text of a response with headers and a body.
    static func response(_ status: Int, _ headers: [String] = [], body: String = "") -> String {
        head(status, ["Content-Length: \(body.utf8.count)"] + headers) + body
    }

    /// The text of a head.
    ///
    /// The body ends with the connection unless a header field delimits it. The head has a type:
    /// CFNetwork would otherwise deliver nothing until it has 512 bytes to guess the type from.
    static func head(_ status: Int = 200, _ headers: [String] = []) -> String {
        let hasType = headers.contains { $0.lowercased().hasPrefix("content-type:") }
        return
            (["HTTP/1.1 \(status) Status", "Connection: close", "X-Content-Type-Options: nosniff"]
            + (hasType ? [] : ["Content-Type: application/octet-stream"]) + headers + ["", ""])
            .joined(separator: "\r\n")
    }
}

/// The requests of a server, and whether it is closed.
private final class Log: @unchecked Sendable {
    // The scenarios use this file too, and compile without access to the package's own lock.
    private let lock = NSLock()
    private var received: [LoopbackServer.Request] = []
    private var closed = false

    var requests: [LoopbackServer.Request] { lock.withLock { received } }
    var isClosed: Bool { lock.withLock { closed } }

    func append(_ request: LoopbackServer.Request) { lock.withLock { received.append(request) } }
    func close() { lock.withLock { closed = true } }
}

extension LoopbackServer.Request {
    /// Reads the next request of a connection, or returns `nil` at its end.
    init?(from connection: Int32) {
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
            guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { continue }
            let request = Self(
                headBytes: bytes[..<end.lowerBound], bodyBytes: bytes[end.upperBound...])
            if request.header("Expect") != nil, request.bodyBytes.isEmpty {
                LoopbackConnection(socket: connection).write("HTTP/1.1 100 Continue\r\n\r\n")
            }
            let length = request.header("Content-Length").flatMap(Int.init) ?? 0
            guard request.bodyBytes.count >= length else { continue }
            self = request
            return
        }
    }
}

/// The connection of a client, on which a test sends the response in parts.
struct LoopbackConnection: Sendable {
    let socket: Int32

    // Without it, a write to a closed connection ends the process.
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

    /// Waits until the client has closed the connection.
    func waitUntilClosed() {
        var byte: UInt8 = 0
        while recv(socket, &byte, 1, 0) > 0 {}
    }
}
