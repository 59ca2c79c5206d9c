import APIKit
import FlyingFox
import FlyingSocks
import Foundation

/// A real HTTP server on a free port of this machine, which remembers what it was sent.
struct LocalServer: Sendable {
    typealias Answer = @Sendable (ReceivedRequest) async throws -> HTTPResponse

    let baseURL: URL
    private let log: RequestLog

    /// Runs a server for the length of a closure.
    ///
    /// Servers that are given the same log share it.
    static func run<Output>(
        log: RequestLog = RequestLog(),
        answering answer: @escaping Answer,
        while body: (LocalServer) async throws -> Output
    ) async throws -> Output {
        let server = HTTPServer(
            address: try .inet(ip4: "127.0.0.1", port: 0), timeout: 3600, logger: .disabled)
        await server.appendRoute("*") { request in
            let received = try await ReceivedRequest(request)
            await log.append(received)
            var response = try await answer(received)
            // FlyingFox sends a body to HEAD too, which would be taken for the next answer.
            if received.method == "HEAD" { response.payload = .httpBody(HTTPBodySequence()) }
            return response
        }
        let running = Task { try await server.run() }
        let result = await Result {
            try await server.waitUntilListening()
            guard case .ip4(let address, let port) = await server.listeningAddress,
                let baseURL = URL(string: "http://\(address):\(port)")
            else { throw URLError(.badURL) }
            return try await body(LocalServer(baseURL: baseURL, log: log))
        }
        await server.stop()
        running.cancel()
        return try result.get()
    }

    /// The requests so far, oldest first.
    var requests: [ReceivedRequest] { get async { await log.requests } }

    /// Waits until there has been a request.
    func waitForRequest() async {
        for await _ in await log.arrivals { return }
    }

    /// Returns a URL of this server.
    func url(_ reference: String) throws -> URL {
        guard let url = URL(string: reference, relativeTo: baseURL) else {
            throw URLError(.badURL)
        }
        return url.absoluteURL
    }

    /// Returns a request to this server.
    func request(
        _ reference: String,
        method: String = "GET",
        headers: [String: String] = [:],
        body: Data? = nil
    ) throws -> URLRequest {
        var request = URLRequest(url: try url(reference))
        request.httpMethod = method
        request.httpBody = body
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }
}
