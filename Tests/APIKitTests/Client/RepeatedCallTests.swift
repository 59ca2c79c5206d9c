import APIKit
import APIKitTesting
import Foundation
import Testing

/// Calls that a redirect divides into two requests, with every way in which the second can end.
///
/// ``RedirectedCall/allowed`` is the model. It is written from RFC 9110 (sections 9.2.2, 11.5 and 15.4) and the
/// Fetch standard (section 4.4), without the code of the client.
@Suite(.inTurn) struct RepeatedCallTests {
    /// Calls at random, the same in each run.
    ///
    /// `STRESS=1` runs more of them, and `PAIRS` sets their number.
    @Test(arguments: RedirectedCall.Double.allCases)
    func aCallSendsOnlyWhatMayBeRepeated(double: RedirectedCall.Double) async throws {
        let own = ProcessInfo.processInfo.environment["PAIRS"].flatMap { Int($0) }
        let count =
            double == .transport
            ? own ?? (Stress.isFull ? 2_000 : 100) : Stress.isFull ? 300 : 10
        var generator = SeededGenerator(seed: 55)
        for _ in 0..<count {
            let call = RedirectedCall.random(for: double, using: &generator)
            if try await call.fails() { return try await reportShortest(call) }
        }
    }

    /// Reports the simplest call that fails like another one.
    private func reportShortest(_ call: RedirectedCall) async throws {
        for simpler in call.simpler where try await simpler.fails() {
            return try await reportShortest(simpler)
        }
        let (expected, actual) = (call.allowed, try await call.run())
        #expect(actual == expected, "\(call)")
    }

    /// The pairs from which this file began, each a report of a POST that was sent again.
    @Test(
        arguments: [
            RedirectedCall(fault: .status(429), layers: [.retry]),
            RedirectedCall(fault: .status(503), layers: [.retry]),
            RedirectedCall(fault: .refused, layers: [.retry]),
            RedirectedCall(fault: .status(401), layers: [.bearer]),
            RedirectedCall(hasBody: true, fault: .refused, layers: [.retry], verb: .upload),
            RedirectedCall(redirect: 301, fault: .status(429), layers: [.retry]),
            RedirectedCall(fault: .status(401), target: .itself, layers: [.retry, .bearer]),
            RedirectedCall(fault: .status(429), target: .otherOrigin, layers: [.retry]),
        ])
    func aPostWithAResultIsSentOnce(pair: RedirectedCall) async throws {
        let actual = try await pair.run()

        #expect(actual.requests.count { $0.hasPrefix("POST") } == 1)
        #expect(actual == pair.allowed)
    }

    /// In one attempt, and in the second one of an inner `Retry`.
    @Test(arguments: [200, 503])
    func aRedirectOfAResultIsStillForTheResult(first status: Int) async throws {
        let server = MockServer()
        server.on(.post("/start"), reply: .redirect(to: "/result", status: 303), times: .once)
        server.on(.get("/result"), reply: .redirect(to: "/end"))
        if status != 200 { server.on(.get("/result"), reply: .status(status), times: .once) }
        server.on(.get("/end"), reply: .status(401), .status(200))
        let tokens = StubTokens("token0") { _ in "token1" }
        let client = APIClient(
            baseURL: URL(string: "https://a.example"), transport: server,
            interceptors: [BearerAuthentication(tokens), Retry(baseDelay: .zero)])

        try await client.load(Start(method: .post))

        #expect(server.requests.count { $0.method == .post } == 1)
    }

    @Test func theErrorOfAResultSaysThatThePostWasProcessed() async throws {
        let pair = RedirectedCall(fault: .status(503), target: .otherOrigin, layers: [.retry])

        #expect(
            try await pair.run().end
                == """
                POST https://a.example/start was processed, but GET https://b.example/result was \
                refused with status 503.
                """)
    }

    @Test func aRuleOfOnesOwnIsNotAskedForAResultAtAnotherOrigin() async throws {
        let server = MockServer()
        server.on(.post("/start"), reply: .redirect(to: "https://b.example/result", status: 303))
        server.on(.get("/result"), reply: .status(418), times: .once)
        let client = APIClient(
            baseURL: URL(string: "https://a.example"), transport: server,
            interceptors: [Retry(baseDelay: .zero, alsoWhen: { _ in true })])

        await #expect(throws: APIError.self) { try await client.load(Start(method: .post)) }
    }

    /// After a redirect to another origin and back, no request carries the token (Fetch, section 4.4).
    @Test(arguments: [Connection.transport, .session])
    func aRefusalOfARequestWithoutATokenRefreshesNone(connection: Connection) async throws {
        let server = MockServer()
        server.on(.get("/start"), reply: .redirect(to: "https://b.example/detour", status: 307))
        server.on(.get("/detour"), reply: .redirect(to: "https://a.example/end", status: 307))
        server.on(.get("/end").header("Authorization", .absent), reply: .status(401))
        let tokens = StubTokens("token0") { _ in "token1" }
        let client = APIClient(
            baseURL: URL(string: "https://a.example"), transport: connection.transport(to: server),
            interceptors: [BearerAuthentication(tokens)])

        let error = await #expect(throws: APIError.self) {
            try await client.load(Start(method: .get))
        }

        #expect(error?.statusCode == 401)
        #expect(tokens.refreshes.isEmpty)
    }

    enum Connection {
        case transport, session

        func transport(to server: MockServer) -> any HTTPTransport {
            self == .session ? server.session : server
        }
    }
}

extension RedirectedCall {
    fileprivate func fails() async throws -> Bool { try await run() != allowed }
}
