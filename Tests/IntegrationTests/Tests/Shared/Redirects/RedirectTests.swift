import APIKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct RedirectTests {
    @Test func locationWithoutASchemeIsResolved() async throws {
        try await LocalServer.run(respond: { _ in .text("there") }) { other in
            let location = try other.url("/next").absoluteString.trimmingPrefix("http:")
            try await LocalServer.run(respond: { _ in
                .redirect(to: String(location))
            }) { server in
                let response = try await TransportUnderTest.make().load(server.request("/start"))

                #expect(response.value == "there")
                #expect(await other.requests.map(\.target) == ["/next"])
            }
        }
    }

    @Test func sixteenRedirectsAreFollowed() async throws {
        try await LocalServer.run(respond: { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return number == 16 ? .text("there") : .redirect(to: "/\(number + 1)")
        }) { server in
            let response = try await TransportUnderTest.make().load(server.request("/0"))

            #expect(response.value == "there")
        }
    }

    @Test(arguments: [300, 304, 305])
    func locationOfAnotherStatusIsNotFollowed(status: Int) async throws {
        try await LocalServer.run(respond: { _ in .redirect(status, to: "/end") }) { server in
            let error = await #expect(throws: APIError.self) {
                try await TransportUnderTest.make().load(server.request("/start"))
            }

            #expect(error?.kind == .status(status))
            #expect(await server.requests.count == 1)
        }
    }

    @Test func sameOriginPolicyFollowsOnlyToTheSameOrigin() async throws {
        try await LocalServer.run(respond: { _ in .text("there") }) { other in
            let location = try other.url("/end").absoluteString
            try await LocalServer.run(respond: { request in
                .redirect(to: request.path == "/start" ? "/next" : location)
            }) { server in
                let error = await #expect(throws: APIError.self) {
                    try await TransportUnderTest.make(redirects: .sameOrigin).load(
                        server.request("/start"))
                }

                #expect(error?.kind == .status(302))
                #expect(error?.response?.url?.path == "/next")
                #expect(error?.body == Data("moved".utf8))
                #expect(await other.requests.isEmpty)
            }
        }
    }

    @Test func credentialsAreNotSentOnTheWayBackFromAnotherOrigin() async throws {
        let credentials = [
            "Authorization": "Bearer bone", "Cookie": "dog=Rex",
            "Proxy-Authorization": "Basic bone",
        ]
        let home = AsyncStream.makeStream(of: String.self)
        try await LocalServer.run(respond: { _ in
            for await location in home.stream { return .redirect(to: location) }
            return .text("")
        }) { other in
            let location = try other.url("/over").absoluteString
            try await LocalServer.run(respond: { request in
                request.path == "/start" ? .redirect(to: location) : .text("back")
            }) { server in
                home.continuation.yield(try server.url("/end").absoluteString)

                let response = try await TransportUnderTest.make().load(
                    server.request("/start", headers: credentials))

                let received = try #require(await server.requests.last)
                #expect(response.value == "back")
                #expect(credentials.keys.compactMap(received.header) == [])
            }
        }
    }
}
