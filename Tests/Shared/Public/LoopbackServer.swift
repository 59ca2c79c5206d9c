import Foundation

/// A server on 127.0.0.1 that sends any bytes.
final class LoopbackServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let connections: Connections

    /// The requests that arrived at a server that serves requests, in order.
    var requests: [Request] { connections.requests }

    /// Starts a server that sends the text of a response to the request of each connection.
    convenience init(respond: @escaping @Sendable (Request) -> String) throws {
        try self.init { request, connection in connection.write(respond(request)) }
    }

    /// Starts a server that serves one request of each connection.
    convenience init(serve: @escaping @Sendable (Request, LoopbackConnection) -> Void) throws {
        let connections = Connections()
        try self.init(connections) { connection in
            let request = try connection.request()
            connections.append(request)
            serve(request, connection)
        }
    }

    /// Returns a server that serves each connection on a separate thread, and closes it when `serve` returns or
    /// throws.
    static func serving(
        _ serve: @escaping @Sendable (LoopbackConnection) throws -> Void
    ) throws -> LoopbackServer {
        try LoopbackServer(Connections(), serve)
    }

    private init(
        _ connections: Connections, _ serve: @escaping @Sendable (LoopbackConnection) throws -> Void
    ) throws {
        (listener, port) = try LoopbackSocket.make()
        guard listen(listener, 128) == 0 else { throw POSIXError(.EADDRINUSE) }
        self.connections = connections
        let listener = listener
        connections.threads.enter()
        Thread.detachNewThread {
            // If another thread closed the descriptor, another server could reuse its number while this
            // thread still uses it.
            defer {
                close(listener)
                connections.threads.leave()
            }
            while true {
                let socket = accept(listener, nil, nil)
                guard !connections.isClosed else {
                    if socket >= 0 { close(socket) }
                    return
                }
                guard socket >= 0 else {
                    // `accept` also fails for a client that closed its connection. The process can
                    // reach its limit on files for a moment.
                    if errno == EMFILE || errno == ENFILE { usleep(10_000) }
                    continue
                }
                connections.insert(socket)
                // A slow client, or one that sends no request, must not block the others.
                Thread.detachNewThread {
                    defer { connections.remove(socket) }
                    // Reading throws when the client has closed its connection.
                    try? serve(LoopbackConnection(socket))
                }
            }
        }
    }

    deinit { stopListening() }

    private func stopListening() {
        guard connections.end() else { return }
        // Wake the accepting thread, which closes the descriptor.
        #if canImport(Glibc)
        shutdown(listener, Int32(SHUT_RDWR))
        #else
        // Darwin does not shut down a socket that listens.
        close(LoopbackSocket.connection(to: port))
        #endif
    }

    /// Ends the server and its connections, and waits for their threads.
    func stop() async {
        stopListening()
        connections.shutDown()
        await withCheckedContinuation { continuation in
            connections.threads.notify(queue: .global()) { continuation.resume() }
        }
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

/// The open connections of a server, their requests, and whether the server is closed.
private final class Connections: @unchecked Sendable {
    /// The threads of the server.
    let threads = DispatchGroup()
    // The scenarios use this file too, and compile without access to the package's own lock.
    private let lock = NSLock()
    private var open: Set<Int32> = []
    private var received: [LoopbackServer.Request] = []
    private var closed = false

    var requests: [LoopbackServer.Request] { lock.withLock { received } }
    var isClosed: Bool { lock.withLock { closed } }

    func append(_ request: LoopbackServer.Request) { lock.withLock { received.append(request) } }

    func insert(_ socket: Int32) {
        threads.enter()
        lock.withLock { _ = open.insert(socket) }
    }

    func remove(_ socket: Int32) {
        lock.withLock {
            open.remove(socket)
            close(socket)
        }
        threads.leave()
    }

    /// Makes the server accept no connection, and returns whether it did until now.
    func end() -> Bool {
        lock.withLock {
            defer { closed = true }
            return !closed
        }
    }

    /// Ends what the threads read and write.
    func shutDown() { lock.withLock { for socket in open { shutdown(socket, Int32(SHUT_RDWR)) } } }
}
