import APIKit
import Foundation
import Testing

@Suite struct CookieTests {
    private let answer: LocalServer.Answer = { request in
        request.path == "/login"
            ? .text("", headers: ["Set-Cookie": "dog=Rex; Path=/"])
            : .text(request.header("Cookie") ?? "none")
    }

    @Test func areSentWithTheNextRequestOfTheSession() async throws {
        try await LocalServer.run(answering: answer) { server in
            let session = URLSession.make()
            _ = try await session.load(server.request("/login"))

            let response = try await session.load(server.request("/dogs"))

            #expect(response.value == "dog=Rex")
        }
    }

    @Test func areNotSentByAnotherSession() async throws {
        try await LocalServer.run(answering: answer) { server in
            _ = try await URLSession.make().load(server.request("/login"))

            let response = try await URLSession.make().load(server.request("/dogs"))

            #expect(response.value == "none")
        }
    }
}
