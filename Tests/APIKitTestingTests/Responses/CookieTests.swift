import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct CookieTests {
    let server = MockServer.current

    @Test func sessionSendsAStoredCookieWithItsNextRequest() async throws {
        server.on(
            .get("/login"),
            reply: .status(204).cookie("sid", "42")
                .header("Set-Cookie", "lang=en; Path=/; Expires=Wed, 21 Oct 2065 07:28:00 GMT"))
        let next = server.on(.get("/next").cookie("sid", "42").cookie("lang", "en"))

        _ = try await server.session.send(.make("GET", "/login"))
        _ = try await server.session.send(.make("GET", "/next"))

        #expect(next.requests.count == 1)
    }

    @Test func redirectedRequestCarriesTheCookieOfTheRedirect() async throws {
        server.on(.get("/login"), reply: .redirect(to: "/home").cookie("sid", "42"))
        server.on(.get("/home").cookie("sid", "42"), reply: .text("welcome"))

        #expect(try await server.session.text("/login") == "welcome")
    }

    @Test func newCookieReplacesAnOldOne() async throws {
        server.on(.get("/set"), reply: .status(204).cookie("sid", "1"))
        server.on(.get("/login"), reply: .redirect(to: "/home").cookie("sid", "2"))
        let home = server.on(.get("/home"))

        _ = try await server.session.data(for: .make("GET", "/set"))
        _ = try await server.session.data(for: .make("GET", "/login"))

        #expect(home.requests.map(\.cookies) == [["sid": "2"]])
    }

    @Test func redirectThatRemovesACookieDoesNotSendIt() async throws {
        let past = "Path=/; Expires=Wed, 21 Oct 2015 07:28:00 GMT"
        server.on(.get("/set"), reply: .status(204).cookie("sid", "1").cookie("lang", "en"))
        server.on(
            .get("/logout"),
            reply: .redirect(to: "/home").header("Set-Cookie", "sid=; \(past)")
                .header("Set-Cookie", "lang=; \(past)"))
        let home = server.on(.get("/home"))

        for path in ["/set", "/home", "/logout"] {
            _ = try await server.session.send(.make("GET", path))
        }

        #expect(home.requests.map(\.cookies) == [["sid": "1", "lang": "en"], [:]])
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

    @Test func requestThatRefusesCookiesNeitherSendsNorStoresAny() async throws {
        server.on(.get("/login"), reply: .status(204).cookie("sid", "1"))
        let start = server.on(.get("/start"), reply: .redirect(to: "/next").cookie("sid", "2"))
        let next = server.on(.get("/next"), reply: .status(204).cookie("sid", "3"))
        let home = server.on(.get("/home"))
        var refusing = URLRequest.make("GET", "/start")
        refusing.httpShouldHandleCookies = false

        _ = try await server.session.send(.make("GET", "/login"))
        _ = try await server.session.send(refusing)
        _ = try await server.session.send(.make("GET", "/home"))

        #expect(start.requests.map(\.cookies) == [[:]])
        #expect(next.requests.map(\.cookies) == [[:]])
        #expect(home.requests.map(\.cookies) == [["sid": "1"]])
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
