import APIKit
import APIKitTesting
import FlyingFox
import Foundation

/// The kind of server that responds.
enum Backend: CaseIterable {
    /// A mock.
    case mock
    /// A real server.
    case real
    /// A real server through a mock.
    case passthrough
    /// A recording of a real server, which is stopped before the replay.
    case recording

    /// The kinds of servers for a test whose loads a recording cannot repeat.
    ///
    /// A load that fails, or that is canceled before its end, is not recorded. Equal requests that are
    /// sent at the same time have no order.
    static let withoutRecording = allCases.filter { $0 != .recording }

    typealias Responder = @Sendable (ReceivedRequest) async throws -> Reply

    /// Runs two servers with the same responses until the closure returns.
    ///
    /// A recording runs the closure twice: with the real servers, and with their recording.
    func run(
        delegate: (any URLSessionDelegate)? = nil,
        respond: @escaping Responder,
        while body: (Site) async throws -> Void
    ) async throws {
        switch self {
        case .mock:
            let mock = MockServer { try await respond(ReceivedRequest($0)).mocked }
            try await body(
                Site(of: mock, delegate, baseURL: Self.url(of: 8001), other: Self.url(of: 8002)))
            mock.verify()
        case .real:
            _ = try await serve(respond, to: .make(delegate: delegate), while: body)
        case .passthrough:
            let mock = MockServer(unhandled: .passthrough)
            _ = try await serve(respond, to: mock.makeSession(delegate: delegate), while: body)
            mock.verify()
        case .recording:
            let folder = try TemporaryDirectory()
            let source = folder.url("Tests.swift").path
            let recorder = MockServer()
            recorder.replay(Cassette("site", mode: .all, filePath: source))
            let served = try await serve(
                respond, to: recorder.makeSession(delegate: delegate), while: body)
            recorder.verify()
            let player = MockServer()
            player.replay(Cassette("site", mode: .none, filePath: source))
            try await body(
                Site(of: player, delegate, baseURL: served.baseURL, other: served.other))
            player.verify()
        }
    }

    /// Runs two real servers until the closure returns.
    private func serve(
        _ respond: @escaping Responder, to session: URLSession,
        while body: (Site) async throws -> Void
    ) async throws -> Site {
        let log = RequestLog()
        let serve: LocalServer.Responder = { try await respond($0).served }
        return try await LocalServer.run(log: log, respond: serve) { server in
            try await LocalServer.run(log: log, respond: serve) { other in
                let site = Site(session: session, baseURL: server.baseURL, other: other.baseURL) {
                    await log.requests
                }
                try await body(site)
                return site
            }
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
    fileprivate let received: @Sendable () async -> [ReceivedRequest]

    /// The requests that both servers received, oldest first.
    var requests: [ReceivedRequest] { get async { await received() } }

    /// The methods and targets of the received requests.
    var lines: [String] { get async { await requests.map { "\($0.method) \($0.target)" } } }

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

extension Site {
    /// Creates the site of a mock, which receives the requests to both servers.
    fileprivate init(
        of mock: MockServer, _ delegate: (any URLSessionDelegate)?, baseURL: URL, other: URL
    ) {
        self.init(session: mock.makeSession(delegate: delegate), baseURL: baseURL, other: other) {
            mock.requests.map(ReceivedRequest.init)
        }
    }
}
