import APIKit
import Foundation
import Testing

extension RedirectTests {
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
