import APIKitTesting
import Foundation
import Testing

@testable import APIKit

/// The cookies of a session over real HTTP, for each way to load a response.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct SessionCookieTests {
    /// A server that sets the cookies of a path, and redirects if the path has a target.
    private func server(_ fields: [String: [String]]) throws -> LoopbackServer {
        try LoopbackServer { request in
            let fields = fields[request.path] ?? []
            let isRedirect = fields.contains { $0.hasPrefix("Location") }
            return LoopbackServer.response(isRedirect ? 302 : 200, fields, body: "answer")
        }
    }

    /// Loads paths in turn, and returns the cookies that the server received.
    private func cookies(
        sentTo paths: [String], of server: LoopbackServer, by way: LoadingWay,
        in session: URLSession = .plain()
    ) async throws -> [String?] {
        for path in paths { _ = try await way.load(URLRequest(url: server.url(path)), by: session) }
        return server.requests.map { $0.header("Cookie") }
    }

    @Test(arguments: LoadingWay.allCases)
    func cookiesOfRedirectThatIsNotFollowedAreStored(way: LoadingWay) async throws {
        let server = try server(["/start": ["Location: /end", "Set-Cookie: a=1; Path=/"]])
        let session = URLSession.plain()

        _ = try await way.load(
            URLRequest(url: server.url("/start")), by: session.redirecting(.never))

        #expect(
            try await cookies(sentTo: ["/end"], of: server, by: way, in: session) == [nil, "a=1"])
    }

    @Test func uploadSendsAndStoresCookies() async throws {
        let server = try server(["/": ["Set-Cookie: a=1"]])
        let session = URLSession.plain()
        var request = URLRequest(url: server.url("/"))
        request.httpMethod = "POST"

        for _ in 0..<2 {
            _ = try await session.upload(request, from: .data(Data("dog".utf8))) { _ in }
        }

        #expect(server.requests.map { $0.header("Cookie") } == [nil, "a=1"])
    }

    @Test(arguments: LoadingWay.allCases)
    func sessionWithoutStorageStoresNone(way: LoadingWay) async throws {
        let server = try server(["/": ["Set-Cookie: a=1"]])

        for session in [
            URLSession.plain { $0.httpCookieStorage = nil },
            .plain { $0.httpCookieAcceptPolicy = .never },
        ] {
            _ = try await cookies(sentTo: ["/", "/"], of: server, by: way, in: session)
        }

        #expect(server.requests.map { $0.header("Cookie") } == [nil, nil, nil, nil])
    }

    @Test(arguments: LoadingWay.allCases)
    func sessionThatSetsNoneStillStoresThem(way: LoadingWay) async throws {
        let server = try server(["/": ["Set-Cookie: a=1"]])
        let session = URLSession.plain { $0.httpShouldSetCookies = false }

        let sent = try await cookies(sentTo: ["/", "/"], of: server, by: way, in: session)

        #expect(sent == [nil, nil])
        #expect(session.configuration.httpCookieStorage?.cookies?.map(\.name) == ["a"])
    }

    #if canImport(FoundationNetworking)
    // On Apple platforms the system decides.
    @Test(arguments: LoadingWay.allCases)
    func storedCookiesReplaceThoseOfTheRequest(way: LoadingWay) async throws {
        let server = try server(["/x/set": ["Set-Cookie: stored=1"]])
        let session = URLSession.plain()
        for path in ["/x/set", "/x", "/"] {
            var request = URLRequest(url: server.url(path))
            request.setValue("own=1", forHTTPHeaderField: "Cookie")
            _ = try await way.load(request, by: session)
        }

        #expect(server.requests.map { $0.header("Cookie") } == ["own=1", "stored=1", "own=1"])
    }
    #endif

    @Test func cookiesForOtherPathsDistinguishNoRequests() async throws {
        let session = URLSession.plain()
        let url = try URL.make("https://api.example.com/a")
        for (name, path) in [("a", "/a"), ("b", "/b")] {
            let cookie = try #require(
                HTTPCookie(properties: [
                    .name: name, .value: "1", .domain: "api.example.com", .path: path,
                ]))
            session.configuration.httpCookieStorage?.setCookie(cookie)
        }

        let transport = URLSessionTransport(session: session)
        #expect(transport.addedFields(for: URLRequest(url: url)).map(\.value) == ["a=1"])
    }
}
