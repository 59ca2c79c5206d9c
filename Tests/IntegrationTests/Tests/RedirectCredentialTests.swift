import APIKit
import Foundation
import Testing

@Suite struct RedirectCredentialTests {
    private let credentials = [
        "Authorization": "Bearer bone", "Cookie": "dog=Rex", "Proxy-Authorization": "Basic bone",
    ]

    @Test(arguments: [301, 302, 303, 307, 308])
    func areNotSentToAnotherOrigin(status: Int) async throws {
        try await LocalServer.run(answering: { _ in .text("there") }) { other in
            let location = try other.url("/end").absoluteString
            try await LocalServer.run(answering: { _ in
                .redirect(status, to: location)
            }) { server in
                let headers = credentials.merging(["X-Dog": "Rex"]) { $1 }
                let request = try server.request("/start", headers: headers)

                let response = try await URLSession.make().load(request)

                let received = try #require(await other.requests.first)
                #expect(response.value == "there")
                #expect(credentials.keys.compactMap(received.header) == [])
                #expect(received.header("X-Dog") == "Rex")
            }
        }
    }

    @Test func areSentToTheSameOrigin() async throws {
        try await LocalServer.run(answering: { request in
            request.path == "/start" ? .redirect(to: "/end") : .text("there")
        }) { server in
            _ = try await URLSession.make().load(
                server.request("/start", headers: credentials))

            let received = try #require(await server.requests.last)
            #expect(received.path == "/end")
            for (name, value) in credentials { #expect(received.header(name) == value) }
        }
    }

    @Test func areNotSentOnTheWayBackFromAnotherOrigin() async throws {
        let home = AsyncStream.makeStream(of: String.self)
        try await LocalServer.run(answering: { _ in
            for await location in home.stream { return .redirect(to: location) }
            return .text("")
        }) { other in
            let location = try other.url("/over").absoluteString
            try await LocalServer.run(answering: { request in
                request.path == "/start" ? .redirect(to: location) : .text("back")
            }) { server in
                home.continuation.yield(try server.url("/end").absoluteString)

                let response = try await URLSession.make().load(
                    server.request("/start", headers: credentials))

                let received = try #require(await server.requests.last)
                #expect(response.value == "back")
                #expect(credentials.keys.compactMap(received.header) == [])
            }
        }
    }
}
