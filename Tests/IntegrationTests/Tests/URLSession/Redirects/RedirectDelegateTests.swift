import APIKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct RedirectDelegateTests {
    private let respond: LocalServer.Responder = { request in
        request.path == "/start" ? .redirect(to: "/end") : .text(request.header("X-Dog") ?? "")
    }

    @Test func delegateReceivesEachRedirect() async throws {
        let (proposals, continuation) = AsyncStream.makeStream(of: URLRequest.self)
        let delegate = RedirectDelegate { request in
            continuation.yield(request)
            return request
        }
        try await LocalServer.run(respond: respond) { server in
            _ = try await URLSession.make(delegate: delegate).load(
                server.request("/start", method: "PUT", headers: ["X-Dog": "Rex"]))

            continuation.finish()
            let proposed = await proposals.reduce(into: []) { $0.append($1) }
            #expect(proposed.map(\.url) == [server.baseURL.appending(path: "end")])
            #expect(proposed.map(\.httpMethod) == ["PUT"])
        }
    }

    @Test func delegateCanDecideAfterTheTimeoutOfTheRequest() async throws {
        try await LocalServer.run(respond: { request in
            request.path == "/silent" ? try await .never : try await respond(request)
        }) { server in
            // This request has the same timeout and starts later, so it outlasts the first timeout.
            var clock = try server.request("/silent")
            clock.timeoutInterval = 5
            let delegate = RedirectDelegate { [clock] request in
                _ = try? await URLSession.make().send(clock)
                var request = request
                request.timeoutInterval = 60
                return request
            }
            var request = try server.request("/start", headers: ["X-Dog": "Rex"])
            request.timeoutInterval = 5

            let response = try await URLSession.make(delegate: delegate).load(request)

            #expect(response.value == "Rex")
        }
    }

    @Test func delegateCanDecideAfterTheLoadIsCanceled() async throws {
        let (redirects, continuation) = AsyncStream.makeStream(of: Void.self)
        let (gate, opener) = AsyncStream.makeStream(of: Never.self)
        let (decisions, isDecided) = AsyncStream.makeStream(of: Void.self)
        let delegate = RedirectDelegate { request in
            continuation.yield()
            for await _ in gate {}
            return request
        } then: {
            isDecided.finish()
        }
        try await LocalServer.run(respond: respond) { server in
            let session = URLSession.make(delegate: delegate)
            let request = try server.request("/start")
            let load = Task { try await session.load(request) }

            for await _ in redirects { break }
            load.cancel()
            await #expect(throws: CancellationError.self) { try await load.value }
            opener.finish()
            for await _ in decisions {}

            #expect(await server.requests.map(\.path) == ["/start"])
        }
    }

    @Test func redirectIsFollowedAfterFinishTasksAndInvalidate() async throws {
        let session = URLSession.make()
        try await LocalServer.run(respond: { request in
            guard request.path == "/start" else { return .text("there") }
            session.finishTasksAndInvalidate()
            return .redirect(to: "/end")
        }) { server in
            let response = try await session.load(server.request("/start"))

            #expect(response.value == "there")
        }
    }
}
