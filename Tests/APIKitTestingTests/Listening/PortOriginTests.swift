import Foundation
import Testing

@testable import APIKit
@testable import APIKitTesting

/// The origin that a port stands for.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct PortOriginTests {
    private let server = MockServer()

    /// The path of the origin is no part of the requests.
    @Test(arguments: ["https://api.example.com", "https://api.example.com:8443/v1?q"])
    func patternsSeeTheOriginAndLocationsThatOfThePort(text: String) async throws {
        let origin = try #require(URL(string: text))
        let start = text.replacing("/v1?q", with: "")
        server.on(
            .get("/a").host("api.example.com"), reply: .redirect(to: "\(start)/b?c"),
            .redirect(to: start))

        for target in ["/b\\?c", ""] {
            let text = try await server.exchange("GET /a HTTP/1.1", origin: origin)

            #expect(text.hasPrefix("HTTP/1.1 302 "))
            let location = try Regex("Location: http://127\\.0\\.0\\.1:\\d+\(target)\r\n")
            #expect(text.firstMatch(of: location) != nil)
        }
        #expect(server.requests.map(\.url.absoluteString) == ["\(start)/a", "\(start)/a"])
    }

    @Test(arguments: ["api.example.com", "/a", "mailto:a@example.com"])
    func originWithoutAHostIsAnError(text: String) async throws {
        let origin = try #require(URL(string: text))
        let error = await #expect(throws: TestFailure.self) { try await server.listen(as: origin) }
        #expect(error?.message.hasPrefix("\(text) is no origin.") == true)
    }

    @Test(arguments: [
        ("Location", "//API.example.com/b", "http://P/b"),
        ("Content-Location", "https://api.example.com/b", "http://P/b"),
        ("Access-Control-Allow-Origin", "https://api.example.com", "http://P"),
        ("Set-Cookie", "secure=1; Secure", "secure=1"),
        (
            "Link", #"<https://api.example.com/?page=2>; rel="next", </c>; rel="prev""#,
            #"<http://P/?page=2>; rel="next", </c>; rel="prev""#
        ),
        (
            "Set-Cookie",
            "a=1; Domain=example.com; Path=/; Secure; SameSite=None; Partitioned; HttpOnly",
            "a=1; Path=/; HttpOnly"
        ),
        (
            "Set-Cookie", "a=Secure; domain=.API.example.com; SECURE; SameSite=Lax",
            "a=Secure; SameSite=Lax"
        ),
    ])
    func fieldLeadsToThePort(name: String, value: String, expected: String) async throws {
        server.on(.any, reply: .status(201).header(name, value))

        let text = try await server.exchange(
            "GET /a HTTP/1.1", origin: .make("https://api.example.com"))

        let port = text.replacing(#/127\.0\.0\.1:\d+/#, with: "P")
        #expect(port.contains("\r\n\(name): \(expected)\r\n"))
    }

    @Test(arguments: ["Strict-Transport-Security", "Alt-Svc"])
    func fieldThatLeadsAwayFromThePortIsRemoved(name: String) async throws {
        server.on(.any, reply: .status(200).header(name, "a"))
        let text = try await server.exchange(
            "GET /a HTTP/1.1", origin: .make("https://api.example.com"))
        #expect(!text.contains(name))
    }

    @Test func pageOfThePortHasTheOrigin() async throws {
        server.on(.any, reply: .status(200))
        try await server.withClient(as: .make("https://api.example.com")) { client, url in
            client.send(
                "GET / HTTP/1.1", "Origin: \(url)", "Referer: \(url)/a?b", "X-Url: \(url)",
                "Connection: close")
            _ = await client.text()
            #expect(
                server.requests.first?.headers == [
                    "Origin": "https://api.example.com", "Referer": "https://api.example.com/a?b",
                    "X-Url": "\(url)",
                ])
        }
    }

    @Test func cookieOfAPortWithoutAnOriginStays() async throws {
        server.on(.any, reply: .status(200).header("Set-Cookie", "a=1; Domain=a.example; Secure"))
        #expect(
            try await server.exchange("GET / HTTP/1.1").contains(
                "Set-Cookie: a=1; Domain=a.example; Secure\r\n"))
    }

    @Test(arguments: ["https://other.example/b", "/b"])
    func otherLocationsStay(location: String) async throws {
        server.on(.get("/a"), reply: .redirect(to: location))
        let origin = URL(string: "https://api.example.com")
        #expect(
            try await server.exchange("GET /a HTTP/1.1", origin: origin).contains(
                "Location: \(location)\r\n"))
    }
}
