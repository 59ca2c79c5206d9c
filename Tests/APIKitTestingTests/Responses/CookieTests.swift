import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct CookieTests {
    let server = MockServer.current

    @Test(
        arguments: [
            ("a=1; Path=/; Secure", "https://h.example/2", "a=1"),
            ("a=1; Path=/; Secure", "http://h.example/2", nil),
            ("a=1; Path=/x", "https://h.example/x/2", "a=1"),
            ("a=1; Path=/x", "https://h.example/xy", nil),
            ("a=1; Max-Age=0; Path=/", "https://h.example/2", nil),
            ("a=1; Domain=example; Path=/", "https://other.example/2", nil),
        ] as [(String, String, String?)], Way.allCases)
    func cookieIsSentWhereItBelongs(
        cookie: (field: String, url: String, sent: String?), way: Way
    ) async throws {
        server.on(.any)
        server.on(.get("/x/1"), reply: .status(200).header("Set-Cookie", cookie.field))

        try await way.load("https://h.example/x/1", in: server.session)
        try await way.load(cookie.url, in: server.session)

        #expect(server.requests.map { $0.header("Cookie") } == [nil, cookie.sent])
    }

    // On Linux the system's own functions have already replaced it by the one for https.
    @Test(arguments: [Way.send, .stream])
    func ownCookieOfARequestIsSentIfNoneIsStored(way: Way) async throws {
        server.on(.any)
        server.on(.get("/1"), reply: .status(204).header("Set-Cookie", "a=1; Secure"))

        try await way.load("https://h.example/1", in: server.session)
        for scheme in ["https", "http"] {
            try await way.load("\(scheme)://h.example/2", cookie: "own=1", in: server.session)
        }

        #expect(server.requests.map { $0.header("Cookie") } == [nil, "a=1", "own=1"])
    }

    @Test func otherSessionDoesNotSendTheCookie() async throws {
        let other = MockServer()
        other.on(.get("/next").cookie("sid", .absent))
        server.on(.get("/login"), reply: .status(204).cookie("sid", "42"))

        _ = try await server.session.send(.make("GET", "/login"))
        _ = try await other.session.send(.make("GET", "/next"))

        let shared = HTTPCookieStorage.shared.cookies(for: .make("/")) ?? []
        #expect(!shared.contains { $0.name == "sid" })
    }

    /// On Linux, the shared storage writes a file in the home folder of the user.
    @Test(arguments: [false, true])
    func cookiesOfADefaultConfigurationStayInItsTest(isInstalled: Bool) async throws {
        let configuration = URLSessionConfiguration.default
        if isInstalled { server.install(in: configuration) }
        let session =
            isInstalled
            ? URLSession(configuration: configuration)
            : server.makeSession(configuration: configuration)
        let name = "sid\(UInt64.random(in: 0 ... .max))"
        server.on(.get("/login"), reply: .status(204).cookie(name, "42"))
        server.on(.get("/next").cookie(name, "42"))

        for path in ["/login", "/next"] { _ = try await session.send(.make("GET", path)) }

        let shared = HTTPCookieStorage.shared.cookies(for: .make("/")) ?? []
        #expect(!shared.contains { $0.name == name })
    }

    @Test func storageThatTheCallerHasSetStays() {
        let configuration = URLSessionConfiguration.default
        let storage = URLSessionConfiguration.ephemeral.httpCookieStorage
        configuration.httpCookieStorage = storage

        server.install(in: configuration)

        #expect(configuration.httpCookieStorage === storage)
        #expect(storage != nil)
    }

    @Test func neverAcceptPolicyStoresNoCookie() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieAcceptPolicy = .never
        let session = server.makeSession(configuration: configuration)
        server.on(.get("/login"), reply: .status(204).cookie("sid", "42"))
        server.on(.get("/next").cookie("sid", .absent))

        _ = try await session.send(.make("GET", "/login"))
        _ = try await session.send(.make("GET", "/next"))
    }
}

extension CookieTests {
    /// APIKit's functions, and the system's own ones.
    enum Way: CaseIterable {
        case send, stream, system

        func load(
            _ url: String, cookie: String? = nil, in session: URLSession
        ) async throws {
            var request = URLRequest(url: try #require(URL(string: url)))
            request.setValue(cookie, forHTTPHeaderField: "Cookie")
            switch self {
            case .send: _ = try await session.send(request)
            case .stream: _ = try await session.stream(request).0.data()
            case .system: _ = try await session.data(for: request)
            }
        }
    }
}
