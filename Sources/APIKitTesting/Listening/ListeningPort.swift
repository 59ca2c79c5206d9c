import APIKit
import Foundation

/// A port of 127.0.0.1 on which a mock server responds over HTTP/1.1.
///
/// It listens until ``stop()``, and at the latest until its server is released.
public final class ListeningPort: Sendable {
    /// The URL of the port, such as `http://127.0.0.1:49152`.
    public let url: URL
    /// The source of connections, which is canceled to stop.
    private let source: Locked<any DispatchSourceRead>
    /// What uses a socket: the source, and a thread for each connection.
    private let work = DispatchGroup()
    private let clients = Locked<[ObjectIdentifier: PortClient]>([:])

    fileprivate init(of server: MockServer, on number: Int, as origin: URL?) throws {
        if let origin, origin.scheme == nil || (origin.host ?? "").isEmpty {
            throw TestFailure(
                "\(origin) is no origin. Pass a scheme and a host, such as https://api.example.com.",
                at: nil)
        }
        let listening: Socket
        do {
            guard var port = UInt16(exactly: number) else { throw POSIXError(.EINVAL) }
            listening = try Socket(listeningOn: &port)
            guard let url = URL(string: "http://127.0.0.1:\(port)") else {
                throw URLError(.badURL)
            }
            self.url = url
        } catch {
            throw Self.failure(of: number, error)
        }
        let connection = PortConnection(server: server, url: url, origin: origin)
        let source = DispatchSource.makeReadSource(
            fileDescriptor: listening.descriptor,
            queue: DispatchQueue(label: "APIKit.ListeningPort"))
        self.source = Locked(source)
        source.setEventHandler { [self] in
            if let client = listening.accept() { start(PortClient(client), of: connection) }
        }
        work.enter()
        source.setCancelHandler { [self] in
            listening.close()
            let clients = clients.withLock { clients in
                // Under the lock, because a closed socket leaves its number to another one.
                for client in clients.values { client.socket.shutdown() }
                return clients.values
            }
            // Without the lock, because a handler of the cancellation may release the server.
            for client in clients { client.cancel() }
            work.leave()
        }
        source.resume()
    }

    /// Returns the failure of a port that cannot be opened, with its remedy.
    static func failure(of number: Int, _ error: any Error) -> TestFailure {
        let isSandboxed = (error as? POSIXError)?.code == .EPERM
        let remedy =
            isSandboxed
            ? """
            A sandboxed app may not listen. Add the entitlement com.apple.security.network.server to the \
            app that runs the test. A UI test needs it in its own target, with \
            com.apple.security.app-sandbox and com.apple.security.network.client.
            """ : "Stop what listens there, or leave out the number to get a free port."
        return TestFailure(
            """
            Port \(number) of 127.0.0.1 cannot be opened: \(APIError.clause(for: error)). \(remedy)
            """, at: nil)
    }

    /// Ends the requests in progress, and returns when the port is free.
    public func stop() async {
        end()
        await withCheckedContinuation { continuation in
            work.notify(queue: .global()) { continuation.resume() }
        }
    }

    /// Ends the requests in progress, and starts to free the port.
    fileprivate func end() {
        source.withLock { $0.cancel() }
    }

    private func start(_ client: PortClient, of connection: PortConnection) {
        clients.withLock { $0[ObjectIdentifier(client)] = client }
        work.enter()
        Thread.detachNewThread { [self] in
            connection.serve(client)
            clients.withLock {
                $0[ObjectIdentifier(client)] = nil
                client.socket.close()
            }
            work.leave()
        }
    }
}

extension MockServer {
    /// Listens on a port of 127.0.0.1, for other processes and for clients without a `URLSession`.
    ///
    /// Each request on the port is served as one of a session: by routes, recordings and passthroughs,
    /// with delays on the server's clock, and in ``requests``. An unhandled request fails the test,
    /// and the client receives a 501 with the text of the failure.
    ///
    /// A client sees redirects instead of their targets. A `URLError` in place of a response ends the
    /// connection if its code is `networkConnectionLost`, `badServerResponse` or
    /// `cannotParseResponse`. The port has no TLS and no HTTP/2. What a connection cannot show fails the
    /// test, with a 501: other errors, an upload rate, and a passthrough without an origin.
    ///
    /// - Parameters:
    ///   - port: The number of the port, or 0 for a free one.
    ///   - origin: The scheme, the host and the port of the requests for patterns, recordings and
    ///     passthroughs, such as `https://api.example.com`. In `Location`, `Content-Location`, the
    ///     targets of `Link` and `Access-Control-Allow-Origin`, the client receives the origin of the
    ///     port instead. Cookies lose `Domain` and what needs https, and `Alt-Svc` and
    ///     `Strict-Transport-Security` are removed. The default is the origin of the port.
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
        let result = await Result.of { try await body(port.url) }
        await port.stop()
        return try result.get()
    }
}
