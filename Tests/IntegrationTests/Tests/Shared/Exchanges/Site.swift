import APIKit
import Foundation

/// Two servers, a transport that loads from them, and the requests that they received.
struct Site: Sendable {
    typealias Responder = @Sendable (ReceivedRequest) async throws -> Reply

    var transport: any HTTPTransport
    let baseURL: URL
    /// The URL of the second server, which is another origin.
    let other: URL
    let received: @Sendable () async -> [ReceivedRequest]

    /// Runs two real servers with the same responses until the closure returns.
    static func run<Output>(
        with transport: any HTTPTransport, over version: HTTPVersion = .http1,
        respond: @escaping Responder, while body: (Site) async throws -> Output
    ) async throws -> Output {
        let log = RequestLog()
        let serve: LocalServer.Responder = { try await respond($0).served }
        return try await LocalServer.run(log: log, respond: serve) { server in
            try await LocalServer.run(log: log, respond: serve) { other in
                try await version.run(before: [server.baseURL, other.baseURL]) { urls in
                    try await body(
                        Site(transport: transport, baseURL: urls[0], other: urls[1]) {
                            await log.requests
                        })
                }
            }
        }
    }

    /// The requests that both servers received, oldest first.
    var requests: [ReceivedRequest] { get async { await received() } }

    /// The methods and targets of the received requests.
    var lines: [String] { get async { await requests.map { "\($0.method) \($0.target)" } } }

    /// Returns a client of the first server.
    func client(_ interceptors: any APIInterceptor...) -> APIClient {
        APIClient(baseURL: baseURL, transport: transport, interceptors: interceptors)
    }

    /// Loads from the first server.
    func load(
        _ target: String, method: String = "GET", headers: [String: String] = [:]
    ) async throws -> APIResponse<String> {
        var request = try URLRequest(
            HTTPMethod(rawValue: method), APIPath(verbatim: target), headers: headers)
        // On a busy machine, hundreds of handshakes take longer than the default of one minute.
        request.timeoutInterval = 600
        return try await client().response(to: TextRequest(), with: request)
    }
}
