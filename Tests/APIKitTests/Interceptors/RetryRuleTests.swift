import APIKit
import APIKitTesting
import Foundation
import Testing

/// The rule of the user beside that of `Retry`.
@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct RetryRuleTests {
    private let server = MockServer.current
    private let outcomes = Locked<[Retry.Outcome]>([])

    /// A client that repeats without a delay if the rule returns `true`.
    private func client(
        attempts: Int = 3, _ interceptors: any APIInterceptor...,
        rule: @escaping @Sendable (Retry.Outcome) -> Bool
    ) -> APIClient {
        let retry = Retry(
            maxAttempts: attempts,
            alsoWhen: { [outcomes] outcome in
                outcomes.append(outcome)
                return rule(outcome)
            }, clock: ManualClock(), jitter: { 0 })
        return .make(transport: server.session, interceptors: [retry] + interceptors)
    }

    private func request(_ method: HTTPMethod = .get) -> EchoRequest {
        EchoRequest { try URLRequest(method, "echo") }
    }

    @Test(arguments: [
        (Retry(statuses: [429], jitter: { 0 }), HTTPMethod.get, 503, 1),
        (Retry(statuses: [429], jitter: { 0 }), .post, 429, 2),
        (Retry(statuses: Retry.statuses.union([520]), jitter: { 0 }), .get, 520, 2),
        (Retry(statuses: Retry.statuses.union([520]), jitter: { 0 }), .post, 520, 1),
        (Retry(unless: { !$0.isIdempotent }, jitter: { 0 }), .post, 429, 1),
        (Retry(unless: { !$0.isIdempotent }, jitter: { 0 }), .put, 429, 2),
        (Retry(unless: { $0.call.apiRequest is EchoRequest }, jitter: { 0 }), .get, 503, 1),
        (Retry(unless: { _ in true }, alsoWhen: { _ in true }, jitter: { 0 }), .get, 202, 1),
    ])
    func settingsNarrowOrWidenTheStatuses(
        retry: Retry, method: HTTPMethod, status: Int, requestCount: Int
    ) async throws {
        server.on(.any, reply: .status(status), .text("done"), times: .atMost(2))
        let client = APIClient.make(transport: server, interceptors: [retry])

        _ = try? await client.load(request(method))

        #expect(server.requests.count == requestCount)
    }

    @Test func exclusionAlsoCoversErrors() async {
        server.on(.any, reply: .failure(.cannotConnectToHost), times: .once)
        let client = APIClient.make(
            transport: server, interceptors: [Retry(unless: { $0.error != nil })])

        await expectError(.transport) { try await client.load(request()) }
    }

    /// A budget of retries would spend one that is not sent.
    @Test(arguments: ["31", "20"])
    func exclusionIsNotAskedAboutADelayThatIsTooLong(retryAfter: String) async {
        let (clock, asked) = (ManualClock(), Locked(0))
        server.on(.any, reply: .status(503).header("Retry-After", retryAfter), times: .once)
        let retry = Retry(unless: { _ in asked.increment() > 1 }, clock: clock)
        let client = APIClient.make(
            transport: server, interceptors: [Deadline(.seconds(20), clock: clock), retry])

        await expectError(.status(503)) { try await client.load(request()) }

        #expect(asked.current == 0)
    }

    @Test(arguments: [(nil, 1), (Duration.seconds(120), 2)] as [(Duration?, Int)])
    func serverMayRequestALongerDelayThanTheBackoff(limit: Duration?, requestCount: Int) async {
        let clock = ManualClock()
        server.on(
            .any, reply: .status(503).header("Retry-After", "90"), .text("done"),
            times: .atMost(2))
        let retry = Retry(maxDelay: .seconds(30), maxRetryAfter: limit, clock: clock)
        let client = APIClient.make(transport: server, interceptors: [retry])

        async let load = try? client.load(request())
        if requestCount == 2 { #expect(await clock.advanceToNextDeadline() == .seconds(90)) }
        _ = await load

        #expect(server.requests.count == requestCount)
    }

    @Test func ruleReceivesBodyOfLoad() async throws {
        server.on(.any, reply: .text("locked", status: 409), .text("done"), times: 2)

        let client = client { $0.body == Data("locked".utf8) }

        #expect(try await client.load(request(.patch)) == "done")
        let outcome = try #require(outcomes.current.first)
        #expect(outcome.call.apiRequest is EchoRequest)
        #expect(outcome.call.request.method == .patch)
        #expect(outcome.response?.statusCode == 409)
        #expect(outcome.error == nil)
    }

    @Test func ruleReceivesOnlyHeadOfStream() async throws {
        server.on(.any, reply: .text("wait", status: 202), .text("done"), times: 2)
        let limit = ConcurrencyLimit(1)

        let client = client(limit) { $0.statusCode == 202 }
        let stream = try await client.stream(request()).value

        #expect(try await stream.text() == "done")
        #expect(outcomes.current.map { $0.body } == [nil, nil])
        try await limit.expectFree(1)
    }

    @Test func streamOfDroppedResponseIsCanceled() async throws {
        server.on(.any, reply: .text("wait", status: 202), .text("done"), times: 2)
        let ends = Locked<[String]>([])
        let held = Locked<[ByteStream]>([])

        let client = client(StreamHolder(held: held, ends: ends)) { $0.statusCode == 202 }
        let stream = try await client.stream(request()).value

        #expect(ends.current == ["CancellationError()"])
        #expect(try await stream.text() == "done")
    }

    @Test func ruleCanBeTestedWithoutARequest() throws {
        let call = APICall(request: try .make("POST"), apiRequest: request(.post))
        let outcome = Retry.Outcome(
            call: call, response: try .make(409), body: Data("locked".utf8))

        #expect(outcome.statusCode == 409)
        #expect(outcome.body == Data("locked".utf8))
        #expect(!call.isIdempotent && !outcome.isIdempotent)
        #expect(Retry.Outcome(call: call, error: Refusal()).error as? Refusal == Refusal())
    }

    @Test(
        arguments: [
            Refusal(), APIError(.notHTTP), APIError(.invalidRequest("no")),
            URLError(.badServerResponse),
        ] as [any Error & Sendable])
    func ruleReceivesEachErrorOfInnerInterceptors(error: any Error & Sendable) async throws {
        let client = client(StubInterceptor { throw error }) { $0.error != nil }

        await #expect(throws: (any Error).self) { try await client.load(request()) }

        #expect(outcomes.current.count == 2)
        #expect(outcomes.current.allSatisfy { $0.response == nil && $0.body == nil })
    }

    @Test func ruleReceivesResponseOfError() async throws {
        let error = APIError(
            .transport, response: try .make(206), body: Data("part".utf8), underlying: Refusal())
        let client = client(attempts: 2, StubInterceptor { throw error }) { _ in false }

        await #expect(throws: APIError.self) { try await client.load(request()) }

        #expect(outcomes.current.map { $0.statusCode } == [206])
        #expect(outcomes.current.map { $0.body } == [Data("part".utf8)])
    }

    @Test func cancellationIsNeverRepeated() async throws {
        let client = client(StubInterceptor { throw CancellationError() }) { _ in true }

        await #expect(throws: CancellationError.self) { try await client.load(request()) }

        #expect(outcomes.current.isEmpty)
    }

    @Test func ruleIsNotCalledAfterLastAttempt() async throws {
        server.on(.any, reply: .text("wait", status: 202), times: 2)

        let text = try await client(attempts: 2) { _ in true }.load(request())

        #expect(text == "wait")
        #expect(outcomes.current.count == 1)
    }

    @Test func ruleIsNotCalledForFailureThatRetryCovers() async throws {
        server.on(.any, reply: .status(503), .text("ok"), times: 2)

        _ = try await client { _ in false }.load(request())

        #expect(outcomes.current.map { $0.statusCode } == [200])
    }

    @Test func bodyStreamIsNeverRepeatedByRule() async throws {
        server.on(.any, reply: .text("wait", status: 202), times: .once)
        let streaming = EchoRequest {
            var request = try URLRequest(.put, "echo")
            request.httpBodyStream = InputStream(data: Data("once".utf8))
            return request
        }

        #expect(try await client { _ in true }.load(streaming) == "wait")
        #expect(outcomes.current.isEmpty)
    }

    @Test func retryAfterSetsDelayOfRepeatedResponse() async throws {
        server.on(
            .any, reply: .status(202).header("Retry-After", "7"), .status(202), .text("ok"),
            times: 3)
        let clock = ImpatientClock()
        let retry = Retry(alsoWhen: { $0.statusCode == 202 }, clock: clock, jitter: { 1 })

        _ = try await APIClient.make(server, retry).load(request())

        #expect(clock.waits == [.seconds(7), .seconds(1)])
    }

    @Test func mirrorOfOutcomeShowsNoSecret() async throws {
        let error = APIError(
            .transport, response: try .make(206, headers: ["Set-Cookie": "S3CRET"]),
            body: Data("S3CRET".utf8), underlying: URLError(.badURL))
        let stub = StubInterceptor { throw error }
        let secret = EchoRequest {
            try URLRequest(
                .get, "echo", query: ["api_key": "S3CRET"], headers: ["Cookie": "S3CRET"])
        }

        await #expect(throws: APIError.self) {
            try await client(attempts: 2, stub) { _ in false }.load(secret)
        }

        let outcome = try #require(outcomes.current.first)
        var text = ""
        dump(outcome, to: &text)
        #expect(text.contains("206"))
        #expect(text.contains("6 bytes"))
        for text in [text, "\(outcome)", String(reflecting: outcome)] {
            #expect(!text.contains("S3CRET"))
        }
    }
}

/// An interceptor that retains each stream and records how it ends.
private struct StreamHolder: APIInterceptor {
    let held: Locked<[ByteStream]>
    let ends: Locked<[String]>

    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        let response = try await next(call)
        if let stream = response.value as? ByteStream {
            held.append(stream)
            stream.onEnd { [ends] error in ends.append(error.map { "\($0)" } ?? "end") }
        }
        return response
    }
}
