import APIKit
import FlyingFox
import FlyingSocks
import Foundation

/// An HTTP server on a free port of 127.0.0.1 that records its requests.
struct LocalServer: Sendable {
    typealias Responder = @Sendable (ReceivedRequest) async throws -> HTTPResponse

    let baseURL: URL
    private let log: RequestLog

    /// Runs a server until the closure returns.
    ///
    /// Several servers can share a log of their requests.
    static func run<Output>(
        over version: HTTPVersion = .http1,
        log: RequestLog = RequestLog(),
        respond: @escaping Responder,
        while body: (LocalServer) async throws -> Output
    ) async throws -> Output {
        LoopbackSocket.connectDirectly()
        let server = HTTPServer(
            address: try .inet(ip4: "127.0.0.1", port: 0), timeout: 3600,
            pool: PromptPool(base: HTTPServer.defaultPool()), logger: .disabled)
        await server.appendRoute("*") { request in
            let received = try await ReceivedRequest(request)
            await log.append(received)
            var response = try await respond(received)
            // FlyingFox sends a body to HEAD too. The client would read it as the next response.
            if received.method == "HEAD" { response.payload = .httpBody(HTTPBodySequence()) }
            return response
        }
        let running = Task { try await server.run() }
        let result = await Result {
            try await server.waitUntilListening()
            guard case .ip4(let address, let port) = await server.listeningAddress,
                let baseURL = URL(string: "http://\(address):\(port)")
            else { throw URLError(.badURL) }
            return try await version.run(before: baseURL) { url in
                try await body(LocalServer(baseURL: url, log: log))
            }
        }
        await server.stop()
        running.cancel()
        return try result.get()
    }

    /// The received requests, oldest first.
    var requests: [ReceivedRequest] { get async { await log.requests } }

    /// Returns a request to this server.
    func request(
        _ reference: String,
        method: String = "GET",
        headers: [String: String] = [:],
        body: Data? = nil
    ) throws -> URLRequest {
        var request = try baseURL.request(reference, method: method)
        request.httpBody = body
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }
}

extension HTTPResponse {
    /// A response with a text body.
    static func text(
        _ text: String,
        status: Int = 200,
        headers: [String: String] = [:]
    ) -> HTTPResponse {
        var fields = HTTPHeaders()
        for (name, value) in headers { fields.addValue(value, for: HTTPHeader(name)) }
        return HTTPResponse(
            statusCode: HTTPStatusCode(status, phrase: "Status"), headers: fields,
            body: Data(text.utf8))
    }

    /// A redirect to a location.
    static func redirect(
        _ status: Int = 302,
        to location: String,
        headers: [String: String] = [:]
    ) -> HTTPResponse {
        text("moved", status: status, headers: headers.merging(["Location": location]) { $1 })
    }

    /// Waits until the client or the server ends the connection.
    static var never: HTTPResponse {
        get async throws {
            let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
            for await _ in stream {}
            continuation.finish()
            throw CancellationError()
        }
    }
}

/// A pool whose sockets send each packet at once.
///
/// Otherwise the body of a response waits for 40 ms, until the client acknowledges the head.
private struct PromptPool<Base: AsyncSocketPool>: AsyncSocketPool {
    let base: Base

    func prepare() async throws { try await base.prepare() }
    func run() async throws { try await base.run() }

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        // A connection has the options of the socket that listens.
        var isOn: Int32 = 1
        setsockopt(
            socket.file.rawValue, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn,
            socklen_t(MemoryLayout<Int32>.size))
        try await base.suspendSocket(socket, untilReadyFor: events)
    }
}

actor RequestLog {
    /// The received requests, oldest first.
    private(set) var requests: [ReceivedRequest] = []

    func append(_ request: ReceivedRequest) { requests.append(request) }
}
