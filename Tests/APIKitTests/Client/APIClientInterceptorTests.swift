import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct APIClientInterceptorTests {
    let server = MockServer.current
    let events = Locked<[String]>([])

    @Test func firstInterceptorIsOutermost() async throws {
        server.on(.get("/v1/echo")) { [events] _ in
            events.append("transport")
            return .text("ok")
        }
        let client = client(Tracing(name: "a", events: events), Tracing(name: "b", events: events))

        _ = try await client.load(EchoRequest())

        #expect(events.current == ["a in", "b in", "transport", "b out: 200", "a out: 200"])
    }

    @Test func interceptorReceivesTransportFailureAsAPIError() async {
        server.on(.get("/v1/echo"), reply: .failure(.timedOut))
        let client = client(Tracing(name: "a", events: events))

        await #expect(throws: APIError.self) { try await client.load(EchoRequest()) }

        #expect(events.current == ["a in", "a threw: transport"])
    }

    @Test func interceptorCanRespondWithoutTransport() async throws {
        let cached = StubInterceptor { APIResponse(value: Data("cached".utf8), http: try .make()) }
        let client = client(cached, Tracing(name: "b", events: events))

        #expect(try await client.load(EchoRequest()) == "cached")
        #expect(server.requests.isEmpty)
        #expect(events.current.isEmpty)
    }

    @Test func decodingErrorOfInterceptorIsNotWrapped() async {
        let client = client(
            RequestAdapter { _ in _ = try JSONDecoder().decode(Dog.self, from: Data()) })

        await #expect(throws: DecodingError.self) { try await client.load(EchoRequest()) }
    }

    @Test func interceptorCanCallNextAgain() async throws {
        server.on(.get("/v1/echo"), reply: .failure(.timedOut), .status(503), .text("third"))
        let client = client(RepeatingInterceptor(times: 3))

        #expect(try await client.load(EchoRequest()) == "third")
        #expect(server.requests.count == 3)
    }

    @Test func repeatedCallPassesInnerInterceptorsAgain() async throws {
        server.on(.get("/v1/echo"), reply: .status(503), .text("second"))
        let client = client(RepeatingInterceptor(), Tracing(name: "b", events: events))

        _ = try await client.load(EchoRequest())

        #expect(events.current == ["b in", "b out: 503", "b in", "b out: 200"])
    }

    @Test func interceptorCanChangeRequest() async throws {
        server.on(.post("/v2/echo").header("X-Trace", "1"), reply: .text("changed"))
        let client = client(
            RequestAdapter { $0.setValue("1", forHTTPHeaderField: "X-Trace") },
            RequestAdapter { request in
                await Task.yield()
                request.httpMethod = "POST"
                request.url = try .make("https://api.example.com/v2/echo")
            })

        #expect(try await client.load(EchoRequest()) == "changed")
    }

    @Test func interceptorReceivesAbsoluteURLAndClientHeaders() async throws {
        server.on(.get("/v1/echo"))
        let client = APIClient.make(
            headers: ["Accept": "text/plain"], transport: server,
            interceptors: [
                RequestAdapter { request in
                    #expect(request.url?.absoluteString == "https://api.example.com/v1/echo")
                    #expect(request.allHTTPHeaderFields == ["Accept": "text/plain"])
                }
            ])

        _ = try await client.load(EchoRequest())
    }

    @Test func interceptorCanCallNextConcurrently() async throws {
        server.on(.get("/v1/echo"), reply: .text("ok"), times: 8)
        let client = APIClient.make(
            transport: server, interceptors: [Racing(count: 8)],
            observers: { [events] _ in [RecordingObserver(events: events)] })

        #expect(try await client.load(EchoRequest()) == "ok")

        let sent = events.current.filter { $0.hasPrefix("sent") }.sorted()
        #expect(sent == (1...8).map { "sent \($0): /v1/echo" })
    }

    @Test func withoutOmitsInterceptorsOfTypeForOneCall() async throws {
        server.on(.get("/v1/echo"), reply: .text("ok"), times: 5)
        let client = APIClient.make(
            server, RepeatingInterceptor(), RequestAdapter { $0.httpShouldHandleCookies = false },
            RepeatingInterceptor())

        _ = try await client.without(RepeatingInterceptor.self).load(EchoRequest())
        #expect(server.requests.count == 1)

        _ = try await client.load(EchoRequest())
        #expect(server.requests.count == 5)
    }

    @Test func withoutKeepsOrderOfOtherInterceptors() {
        let client = APIClient.make(interceptors: [
            RepeatingInterceptor(times: 2), RequestAdapter { _ in }, RepeatingInterceptor(times: 3),
        ])

        let times = client.without(RequestAdapter.self).interceptors.map { interceptor in
            (interceptor as? RepeatingInterceptor)?.times
        }

        #expect(times == [2, 3])
    }

    @Test func addedInterceptorIsInnermostInACopy() async throws {
        server.on(.get("/v1/echo"), reply: .text("ok"), times: 2)
        let client = client(Tracing(name: "a", events: events))

        _ = try await client.adding(Tracing(name: "b", events: events)).load(EchoRequest())
        _ = try await client.load(EchoRequest())

        let added = ["a in", "b in", "b out: 200", "a out: 200"]
        #expect(events.current == added + ["a in", "a out: 200"])
    }

    private func client(_ interceptors: any APIInterceptor...) -> APIClient {
        .make(transport: server, interceptors: interceptors)
    }
}

private struct Tracing: APIInterceptor {
    let name: String
    let events: Locked<[String]>

    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        record("in")
        do {
            let response = try await next(call)
            record("out: \(response.statusCode)")
            return response
        } catch let error as APIError {
            record("threw: \(error.kind)")
            throw error
        }
    }

    private func record(_ event: String) {
        events.append("\(name) \(event)")
    }
}

/// Sends each call many times concurrently, and returns one of the responses.
private struct Racing: APIInterceptor {
    let count: Int

    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        let responses = try await withThrowingTaskGroup(of: APIResponse<Body>.self) { group in
            for _ in 0..<count { group.addTask { try await next(call) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        return try #require(responses.first)
    }
}
