import APIKit
import Foundation
import Testing

@testable import APIKitTesting

extension Backend {
    static let tested: [Backend] = [.session, .transport, .port, .loopback, .recording]
    /// The backends to which a session sends, and so its delegate decides.
    static let sessions = all(but: [.transport: "A mock that is a transport has no delegate."])
    static let turns = InTurn()

    /// Runs two servers with the same responses until the closure returns.
    ///
    /// A recording runs the closure twice: with the real servers, and with their recording.
    func run(
        redirects: RedirectPolicy? = nil, respond: @escaping Site.Responder,
        while body: (Site) async throws -> Void
    ) async throws {
        guard self != .transport else {
            let mock = MockServer { try await respond(ReceivedRequest($0)).mocked }
            try await body(Site(of: mock, transport: mock))
            return mock.verify()
        }
        try await run(respond: respond) { session, site in
            var site = site
            if let redirects { site.transport = session.redirecting(redirects) }
            try await body(site)
        }
    }

    /// Runs two servers, to which a session with a delegate sends its requests.
    func run(
        delegate: (any URLSessionDelegate)? = nil, respond: @escaping Site.Responder,
        while body: (URLSession, Site) async throws -> Void
    ) async throws {
        switch self {
        case .loopback:
            let servers = try LoopbackServers(respond: respond)
            let session = URLSession.make(delegate: delegate)
            defer { session.finishTasksAndInvalidate() }
            try await body(session, servers.site(with: session))
        case .port:
            let session = URLSession.make(delegate: delegate)
            defer { session.finishTasksAndInvalidate() }
            try await Self.listening(respond, with: session) { try await body(session, $0) }
        case .recording:
            let folder = try TemporaryDirectory()
            let source = folder.url("Tests.swift").path
            let recorder = MockServer()
            // It warns of this mode where CI is set.
            TestRun.$current.withValue(TestRun(environment: [:])) {
                recorder.replay(Cassette("site", mode: .all, filePath: source))
            }
            let recording = recorder.makeSession(delegate: delegate)
            let served = try await Self.listening(respond, with: recording) { site in
                try await body(recording, site)
                return site
            }
            recorder.verify()
            let player = MockServer()
            player.replay(Cassette("site", mode: .none, filePath: source))
            let session = player.makeSession(delegate: delegate)
            let site = Site(transport: session, baseURL: served.baseURL, other: served.other) {
                player.requests.map(ReceivedRequest.init)
            }
            try await body(session, site)
            player.verify()
        default:
            let mock = MockServer { try await respond(ReceivedRequest($0)).mocked }
            let session = mock.makeSession(delegate: delegate)
            try await body(session, Site(of: mock, transport: session))
            mock.verify()
        }
    }

    /// Runs two ports of a mock until the closure returns.
    private static func listening<Output>(
        _ respond: @escaping Site.Responder, with session: URLSession,
        while body: (Site) async throws -> Output
    ) async throws -> Output {
        let mock = MockServer { try await respond(ReceivedRequest($0)).mocked }
        let output = try await mock.listening { url in
            try await mock.listening { other in
                try await body(
                    Site(transport: session, baseURL: url, other: other) {
                        mock.requests.map(ReceivedRequest.init)
                    })
            }
        }
        mock.verify()
        return output
    }
}

extension Site {
    /// A site whose requests a mock answers without a port.
    fileprivate init(of mock: MockServer, transport: any HTTPTransport) throws {
        self.init(
            transport: transport, baseURL: try #require(URL(string: "http://127.0.0.1:8001")),
            other: try #require(URL(string: "http://127.0.0.1:8002"))
        ) { mock.requests.map(ReceivedRequest.init) }
    }
}

extension ExchangeTests.Breakage {
    /// Runs a closure with a transport and a request to a server that fails in this way.
    func run(
        on backend: Backend, while body: (any HTTPTransport, URLRequest) async throws -> Void
    ) async throws {
        let session = URLSession.make()
        defer { session.finishTasksAndInvalidate() }
        let mock = MockServer()
        if backend != .loopback { mock.on(.get("/dogs"), reply: mocked) }
        switch backend {
        case _ where self == .refused && [.port, .loopback].contains(backend):
            let port = try RefusingPort()
            defer { withExtendedLifetime(port) {} }
            try await body(session, URLRequest(url: port.url))
        case .loopback:
            let server = try LoopbackServer { [self] _, connection in
                connection.write(sent)
                if self == .reset { connection.resetWhenClosed() }
                if self == .silence { connection.skipToEnd() }
            }
            try await body(session, URLRequest(url: server.url("/dogs"), timeoutInterval: timeout))
        case .port:
            try await mock.listening { url in
                try await body(
                    session,
                    URLRequest(url: url.appending(path: "dogs"), timeoutInterval: timeout))
            }
        default:
            let url = try #require(URL(string: "http://127.0.0.1:8001/dogs"))
            try await body(
                backend == .transport ? mock : mock.session,
                URLRequest(url: url, timeoutInterval: timeout))
        }
    }
}
