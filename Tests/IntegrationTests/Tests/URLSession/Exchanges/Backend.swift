import APIKit
import APIKitTesting
import Foundation
import Testing

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
    #if os(Linux)
    /// A real server over HTTP/2.
    ///
    /// On a Mac the delegate of the session has to trust the server: see `TransportUnderTest.makeTrusting`.
    case http2
    #endif

    /// The kinds of servers for a test whose loads a recording cannot repeat.
    ///
    /// A load that fails, or that is canceled before its end, is not recorded. Equal requests that are
    /// sent at the same time have no order.
    static let withoutRecording = allCases.filter { $0 != .recording }

    /// Runs two servers with the same responses until the closure returns.
    ///
    /// A recording runs the closure twice: with the real servers, and with their recording.
    func run(
        redirects: RedirectPolicy? = nil,
        respond: @escaping Site.Responder,
        while body: (Site) async throws -> Void
    ) async throws {
        try await run(respond: respond) { session, site in
            var site = site
            if let redirects { site.transport = session.redirecting(redirects) }
            try await body(site)
        }
    }

    /// Runs two servers, to which a session with a delegate sends its requests.
    func run(
        delegate: (any URLSessionDelegate)? = nil,
        respond: @escaping Site.Responder,
        while body: (URLSession, Site) async throws -> Void
    ) async throws {
        switch self {
        case .mock:
            let mock = MockServer { try await respond(ReceivedRequest($0)).mocked }
            let session = mock.makeSession(delegate: delegate)
            let site = Site(
                transport: session, baseURL: try Self.url(of: 8001), other: try Self.url(of: 8002)
            ) { mock.requests.map(ReceivedRequest.init) }
            try await body(session, site)
            mock.verify()
        case .real:
            let session = URLSession.make(delegate: delegate)
            try await Site.run(with: session, respond: respond) { try await body(session, $0) }
        case .passthrough:
            let mock = MockServer(unhandled: .reply(.passthrough))
            let session = mock.makeSession(delegate: delegate)
            try await Site.run(with: session, respond: respond) { try await body(session, $0) }
            mock.verify()
        case .recording:
            let folder = try TemporaryDirectory()
            let source = folder.url("Tests.swift").path
            let recorder = MockServer()
            recorder.replay(Cassette("site", mode: .all, filePath: source))
            let recording = recorder.makeSession(delegate: delegate)
            let served = try await Site.run(with: recording, respond: respond) { site in
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
        #if os(Linux)
        case .http2:
            let session = URLSession.make(delegate: delegate)
            try await Site.run(with: session, over: .http2, respond: respond) {
                try await body(session, $0)
            }
        #endif
        }
    }

    private static func url(of port: Int) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw URLError(.badURL) }
        return url
    }
}

extension ExchangeTests.Breakage {
    /// Runs a closure with a transport and a request to a server that fails in this way.
    func run(
        on backend: Backend, while body: (any HTTPTransport, URLRequest) async throws -> Void
    ) async throws {
        switch backend {
        case .mock:
            let server = MockServer()
            server.on(.get("/dogs"), reply: mocked)
            let url = try #require(URL(string: "http://127.0.0.1:8001/dogs"))
            try await body(server.session, URLRequest(url: url, timeoutInterval: timeout))
            server.verify()
        case .real:
            try await run(with: URLSession.make(), while: body)
        case .passthrough, .recording:
            let mock = MockServer(unhandled: .reply(.passthrough))
            try await run(with: mock.session, while: body)
            mock.verify()
        #if os(Linux)
        case .http2:
            try await run(with: URLSession.make(), over: .http2, while: body)
        #endif
        }
    }

    private var mocked: MockResponse {
        switch self {
        case .noResponse: .failure(.networkConnectionLost)
        case .halfABody, .reset: .text("hello rex!").truncated(after: 5)
        case .noBody: .text("hello rex!").truncated(after: 0)
        case .halfAChunk: .stream([Data("hello rex!".utf8)]).truncated(after: 5)
        case .refused: .failure(.cannotConnectToHost)
        case .silence: .never
        }
    }
}

extension Reply {
    /// The response of a mock.
    fileprivate var mocked: MockResponse {
        let response: MockResponse =
            switch body {
            case .data(let data): .data(data, status: status)
            case .chunks(let stream): .stream(stream, status: status)
            }
        return headers.reduce(response) { $0.header($1.name, $1.value) }
    }
}

extension ReceivedRequest {
    /// Creates the request that a mock received.
    fileprivate init(_ request: RecordedRequest) {
        self.init(
            method: request.method.rawValue,
            target: request.path + (request.url.query(percentEncoded: true).map { "?\($0)" } ?? ""),
            body: request.body,
            headers: request.headers)
    }
}
