import APIKit
import APIKitTesting
import FlyingFox
import Foundation

/// The kind of server that responds: a mock, a real server, or a real server through a mock.
enum Backend: CaseIterable {
    case mock, real, passthrough

    typealias Responder = @Sendable (ReceivedRequest) async throws -> Reply

    /// Runs two servers with the same responses until the closure returns.
    func run(
        delegate: (any URLSessionDelegate)? = nil,
        respond: @escaping Responder,
        while body: (Site) async throws -> Void
    ) async throws {
        let log = RequestLog()
        switch self {
        case .mock:
            let server = MockServer { request in
                let request = ReceivedRequest(request)
                await log.append(request)
                return try await respond(request).mocked
            }
            try await body(
                Site(
                    session: server.makeSession(delegate: delegate), baseURL: Self.url(of: 8001),
                    other: Self.url(of: 8002), log: log))
            server.verify()
        case .real, .passthrough:
            let mock = MockServer(unhandled: .passthrough)
            let session: URLSession =
                self == .real ? .make(delegate: delegate) : mock.makeSession(delegate: delegate)
            let serve: LocalServer.Responder = { try await respond($0).served }
            try await LocalServer.run(log: log, respond: serve) { server in
                try await LocalServer.run(log: log, respond: serve) { other in
                    let site = Site(
                        session: session, baseURL: server.baseURL, other: other.baseURL, log: log)
                    try await body(site)
                }
            }
            mock.verify()
        }
    }

    private static func url(of port: Int) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw URLError(.badURL) }
        return url
    }
}

/// Two servers, a session that loads from them, and the requests that they received.
struct Site: Sendable {
    let session: URLSession
    let baseURL: URL
    /// The URL of the second server, which is another origin.
    let other: URL
    fileprivate let log: RequestLog

    /// The requests that both servers received, oldest first.
    var requests: [ReceivedRequest] { get async { await log.requests } }

    /// The methods and targets of the received requests.
    var lines: [String] { get async { await log.requests.map { "\($0.method) \($0.target)" } } }

    /// Returns a client of the first server.
    func client(_ interceptors: any APIInterceptor...) -> APIClient {
        APIClient(baseURL: baseURL, transport: session, interceptors: interceptors)
    }

    /// Loads from the first server.
    func load(
        _ target: String, method: String = "GET", headers: [String: String] = [:]
    ) async throws -> APIResponse<String> {
        var request = try URLRequest(
            HTTPMethod(rawValue: method), APIPath(verbatim: target), headers: headers)
        request.timeoutInterval = 20
        return try await client().response(to: TextRequest(), with: request)
    }
}
