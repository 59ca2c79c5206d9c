import APIKit
import Foundation
import Testing

@Suite struct RedirectDelegateTests {
    private let answer: LocalServer.Answer = { request in
        request.path == "/start" ? .redirect(to: "/end") : .text(request.header("X-Dog") ?? "")
    }

    @Test func isAskedAboutEachRedirect() async throws {
        let (proposals, continuation) = AsyncStream.makeStream(of: URLRequest.self)
        let delegate = RedirectDelegate { request in
            continuation.yield(request)
            return request
        }
        try await LocalServer.run(answering: answer) { server in
            _ = try await URLSession.make(delegate: delegate).load(
                server.request("/start", method: "PUT", headers: ["X-Dog": "Rex"]))

            continuation.finish()
            let proposed = await proposals.reduce(into: []) { $0.append($1) }
            #expect(proposed.map(\.url) == [try server.url("/end")])
            #expect(proposed.map(\.httpMethod) == ["PUT"])
        }
    }

    @Test func makesTheRedirectTheAnswerByRefusingIt() async throws {
        let delegate = RedirectDelegate { _ in nil }
        try await LocalServer.run(answering: answer) { server in
            let error = await #expect(throws: APIError.self) {
                try await URLSession.make(delegate: delegate).load(server.request("/start"))
            }

            #expect(error?.kind == .status(302))
            #expect(error?.body == Data("moved".utf8))
            #expect(error?.response?.value(forHTTPHeaderField: "Location") == "/end")
            #expect(await server.requests.count == 1)
        }
    }

    @Test func changesTheRequestThatFollows() async throws {
        let delegate = RedirectDelegate { request in
            var request = request
            request.setValue("Bello", forHTTPHeaderField: "X-Dog")
            return request
        }
        try await LocalServer.run(answering: answer) { server in
            let response = try await URLSession.make(delegate: delegate).load(
                server.request("/start", headers: ["X-Dog": "Rex"]))

            #expect(response.value == "Bello")
        }
    }

    @Test func mayAnswerAfterTheTimeoutOfTheRequest() async throws {
        try await LocalServer.run(answering: { request in
            request.path == "/silent" ? try await .never : try await answer(request)
        }) { server in
            // Started later and with the same timeout, this one shows when the time is over.
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

    @Test func mayAnswerAfterTheLoadWasCancelled() async throws {
        let (questions, continuation) = AsyncStream.makeStream(of: Void.self)
        let (gate, opener) = AsyncStream.makeStream(of: Never.self)
        let (answers, answered) = AsyncStream.makeStream(of: Void.self)
        let delegate = RedirectDelegate { request in
            continuation.yield()
            for await _ in gate {}
            return request
        } then: {
            answered.finish()
        }
        try await LocalServer.run(answering: answer) { server in
            let session = URLSession.make(delegate: delegate)
            let request = try server.request("/start")
            let load = Task { try await session.load(request) }

            for await _ in questions { break }
            load.cancel()
            await #expect(throws: CancellationError.self) { try await load.value }
            opener.finish()
            for await _ in answers {}

            #expect(await server.requests.map(\.path) == ["/start"])
        }
    }
}

/// A delegate that decides about redirects.
private final class RedirectDelegate: NSObject, URLSessionTaskDelegate {
    private let decide: @Sendable (URLRequest) async -> URLRequest?
    private let then: @Sendable () -> Void

    init(
        decide: @escaping @Sendable (URLRequest) async -> URLRequest?,
        then: @escaping @Sendable () -> Void = {}
    ) {
        self.decide = decide
        self.then = then
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        Task { [decide, then] in
            completionHandler(await decide(request))
            then()
        }
    }
}
