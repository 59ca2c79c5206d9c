import APIKit
import Foundation

/// A port of 127.0.0.1 on which a mock server responds over HTTP/1.1.
///
/// It listens until ``stop()``, and at the latest until its server is released.
public final class ListeningPort: Sendable {
    private struct State {
        var isStopped = false
        var clients: [ObjectIdentifier: PortClient] = [:]
    }

    /// The URL of the port, such as `http://127.0.0.1:49152`.
    public let url: URL
    private let number: UInt16
    /// The threads that use a socket: one for the port, and one for each connection.
    private let threads = DispatchGroup()
    /// A socket to wake the accepting thread, because later the process may have too many open files.
    private let waker: Socket
    private let state = Locked(State())

    fileprivate init(of server: MockServer, on number: Int, as origin: URL?) throws {
        if let origin, origin.scheme == nil || (origin.host ?? "").isEmpty {
            throw TestFailure(
                "\(origin) is no origin. Pass a scheme and a host, such as https://api.example.com.",
                at: nil)
        }
        let socket: Socket
        do {
            guard let wanted = UInt16(exactly: number) else { throw POSIXError(.EINVAL) }
            socket = try Socket(listeningOn: wanted)
            guard let url = URL(string: "http://127.0.0.1:\(socket.port)") else {
                throw URLError(.badURL)
            }
            self.url = url
        } catch {
            throw TestFailure(
                """
                Port \(number) of 127.0.0.1 cannot be opened: \(APIError.text(of: error)). Stop what \
                listens there, or leave out the number to get a free port.
                """, at: nil)
        }
        (self.number, waker) = (socket.port, Socket())
        let connection = PortConnection(server: server, url: url, origin: origin)
        start { [self] in accept(on: socket, connection) }
    }

    /// Ends the requests in progress, and returns when the port is free.
    public func stop() async {
        end()
        await withCheckedContinuation { continuation in
            threads.notify(queue: .global()) { continuation.resume() }
        }
    }

    /// Ends the requests in progress, and starts to free the port.
    fileprivate func end() {
        let (wasRunning, clients) = state.withLock { state in
            defer { state.isStopped = true }
            // Under the lock, because a closed socket leaves its number to another one.
            for client in state.clients.values { client.socket.shutdown() }
            return (!state.isStopped, state.clients.values)
        }
        // Without the lock, because a handler of the cancellation may release the server.
        for client in clients { client.cancel() }
        guard wasRunning else { return }
        // A connection wakes the accepting thread on every platform.
        waker.connect(to: number)
        waker.close()
    }

    private func start(_ work: @escaping @Sendable () -> Void) {
        threads.enter()
        Thread.detachNewThread { [threads] in
            work()
            threads.leave()
        }
    }

    private func accept(on listening: Socket, _ connection: PortConnection) {
        // Only this thread closes the socket, because another thread could reuse its number.
        defer { listening.close() }
        while !state.withLock({ $0.isStopped }) {
            guard let socket = listening.accept() else { continue }
            let client = PortClient(socket)
            let isOpen = state.withLock { state in
                if !state.isStopped { state.clients[ObjectIdentifier(client)] = client }
                return !state.isStopped
            }
            guard isOpen else { return socket.close() }
            start { [self] in
                connection.serve(client)
                state.withLock {
                    $0.clients[ObjectIdentifier(client)] = nil
                    socket.close()
                }
            }
        }
    }
}

extension MockServer {
    /// Listens on a port of 127.0.0.1, for other processes and for clients without a `URLSession`.
    ///
    /// Each request on the port is served as one of a session: by routes, recordings and passthroughs,
    /// with delays on the server's clock, and in the journal. An unhandled request fails the test,
    /// and the client receives a 501 with the text of the failure.
    ///
    /// A client sees redirects instead of their targets. A `URLError` in place of a response ends the
    /// connection if its code is `networkConnectionLost`, `badServerResponse` or
    /// `cannotParseResponse`. The port has no TLS and no HTTP/2. What a connection cannot show fails the
    /// test, with a 501: other errors, a status below 200, an upload rate, and a passthrough without an
    /// origin.
    ///
    /// - Parameters:
    ///   - port: The number of the port, or 0 for a free one.
    ///   - origin: The scheme, the host and the port of the requests for patterns, recordings and
    ///     passthroughs, such as `https://api.example.com`. In a `Location`, the client
    ///     receives the origin of the port instead. The default is the origin of the port.
    /// - Returns: The port.
    /// - Throws: A ``TestFailure`` if the port cannot be opened, or if the origin has no scheme or no host.
    public func listen(port: Int = 0, as origin: URL? = nil) async throws -> ListeningPort {
        let listening = try ListeningPort(of: self, on: port, as: origin)
        state.withLock { $0.stopPorts.append(listening.end) }
        return listening
    }

    /// Listens on a port of 127.0.0.1 while a closure runs.
    ///
    /// - Parameters:
    ///   - port: The number of the port, or 0 for a free one.
    ///   - origin: The origin of the requests, as in ``listen(port:as:)``.
    ///   - isolation: The actor of the caller.
    ///   - body: The closure. Its argument is the URL of the port.
    /// - Returns: The result of the closure, when the port is free again.
    /// - Throws: A ``TestFailure`` if the port cannot be opened, or the error of the closure.
    public func listening<Value>(
        port: Int = 0, as origin: URL? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: (_ url: URL) async throws -> Value
    ) async throws -> Value {
        let port = try await listen(port: port, as: origin)
        do {
            let value = try await body(port.url)
            await port.stop()
            return value
        } catch {
            await port.stop()
            throw error
        }
    }
}
