import APIKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct RedirectDelegateTests {
    private let respond: LocalServer.Responder = { request in
        request.path == "/start" ? .redirect(to: "/end") : .text(request.header("X-Dog") ?? "")
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
