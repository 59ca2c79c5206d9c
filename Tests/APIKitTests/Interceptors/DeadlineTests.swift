import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct DeadlineTests {
    private let clock = ManualClock()

    @Test func deadlineEndsCall() async throws {
        let server = MockServer { _ in .never }
        let client = APIClient.make(server, Deadline(.seconds(20), clock: clock))

        let load = Task { try await client.load(EchoRequest()) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(20))

        let error = await expectError(.deadline) { try await load.value }
        #expect(
            error?.description
                == "GET https://api.example.com/v1/echo did not finish within its deadline.")
    }

    @Test func errorOmitsToken() async throws {
        let server = MockServer { _ in .never }
        let client = APIClient.make(
            server, BearerAuthentication(StubTokens("secret") { _ in nil }),
            Deadline(.seconds(20), clock: clock))

        let load = Task { try await client.load(EchoRequest()) }
        let sent = try await server.nextRequest()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(20))

        let error = await #expect(throws: APIError.self) { try await load.value }
        #expect(sent.headers["Authorization"] == "Bearer secret")
        #expect(error?.request?.url?.path == "/v1/echo")
        #expect(error?.request?.value(forHTTPHeaderField: "Authorization") == nil)
    }

    @Test(arguments: [(nil, nil), (20, nil), (20, 30), (30, 20)] as [(Int?, Int?)])
    func callHasTheTimeThatTheNearestDeadlineLeaves(outer: Int?, inner: Int?) async throws {
        let (left, server) = (Locked<[Duration?]>([]), MockServer { _ in .text("ok") })
        let deadlines = [outer, inner].compactMap(\.self).map {
            Deadline(.seconds($0), clock: clock)
        }
        let reader = CallInterceptor { [clock] call in
            clock.advance(by: .seconds(5))
            left.append(call.timeLeft)
        }
        let client = APIClient.make(transport: server, interceptors: deadlines + [reader])

        #expect(try await client.load(EchoRequest()) == "ok")

        #expect(left.current == [outer == nil ? nil : .seconds(15)])
    }

    @Test func deadlineCountsTimeBeforeSleep() async {
        let clock = TickingClock()
        let client = APIClient.make(
            MockServer { _ in .never }, Deadline(.seconds(20), clock: clock))

        let start = clock.now
        await expectError(.deadline) { try await client.load(EchoRequest()) }

        #expect(clock.deadlines == [start.advanced(by: .seconds(21))])
    }

    @Test func canceledTaskSendsNothing() async {
        let server = MockServer { _ in .text("ok") }
        let client = APIClient.make(server, Deadline(.seconds(20)))

        for _ in 0..<100 {
            let load = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await client.load(EchoRequest())
            }
            await #expect(throws: CancellationError.self) { try await load.value }
        }
        #expect(server.requests.isEmpty)
    }

    @Test func cancellationBeforeTheDeadlineIsTheError() async throws {
        let (arrived, end) = (Waiter<Void>(), Waiter<Void>())
        let slow = RequestAdapter { _ in
            arrived.signal()
            // This wait ignores its cancellation.
            try await end.value
        }
        let client = APIClient.make(
            MockServer { _ in .text("ok") }, Deadline(.seconds(20), clock: clock), slow)
        let load = Task { try await client.load(EchoRequest()) }
        try await arrived.wait()

        load.cancel()
        clock.advance(by: .seconds(20))
        end.signal()

        await #expect(throws: CancellationError.self) { try await load.value }
    }

    @Test func deadlineOutsideRetryLimitsWholeCall() async {
        let server = MockServer { _ in .status(503) }
        let retry = Retry(maxAttempts: 9, baseDelay: .seconds(15), clock: clock, jitter: { 1 })
        let client = APIClient.make(server, Deadline(.seconds(20), clock: clock), retry)

        let load = Task { try await client.load(EchoRequest()) }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(15))

        // The second delay would be 30 seconds.
        await expectError(.status(503)) { try await load.value }
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [25, 20])
    func retryReturnsResponseWhoseDelayOutlastsDeadline(seconds: Int) async {
        let server = MockServer { _ in
            .json(["title": "Maintenance"], status: 503)
                .header("Content-Type", "application/problem+json")
                .header("Retry-After", "\(seconds)")
        }
        let client = APIClient.make(
            server, Deadline(.seconds(20), clock: clock), Deadline(.seconds(60), clock: clock),
            Retry(clock: clock))

        let error = await expectError(.status(503)) { try await client.load(EchoRequest()) }

        #expect(error?.problem?.title == "Maintenance")
        #expect(server.requests.count == 1)
    }

    @Test(
        arguments: [true, false],
        [
            (.text("busy", status: 503), "a response with status 503"),
            (.failure(.timedOut), "an attempt failed: the request timed out (URLError -1001)"),
        ] as [(MockResponse, text: String)])
    func errorHasLastOutcome(isOutermost: Bool, last: (MockResponse, text: String)) async throws {
        let error = try await error(after: last.0, isOutermost)

        let isResponse = last.text.contains("status")
        #expect(error.statusCode == (isResponse ? 503 : nil))
        #expect(error.body == (isResponse ? Data("busy".utf8) : nil))
        #expect(error.urlError?.code == (isResponse ? nil : .timedOut))
        #expect(
            error.description == "GET https://api.example.com/v1/echo did not finish within its "
                + "deadline, after \(last.text).")
    }

    @Test func descriptionMasksLastOutcome() async throws {
        let secret = "q8Zt3kLw9Xv2Rb7Nc1Ym"
        let problem = MockResponse.json(
            ["title": "Busy", "detail": "token=\(secret)"], status: 503
        )
        .header("Content-Type", "application/problem+json")
        let refused = try await error(after: problem)
        let failed = try await error(after: .failure(Refusal(reason: "token=\(secret)")))

        for error in [refused, failed] { #expect(error.description.contains("token=***")) }
    }

    @Test func errorHasNoOutcomeOfAnotherCall() async throws {
        let client = client(after: .status(503))

        let first = try await error(of: client, sending: 2)
        let second = try await error(of: client, sending: 1)

        #expect(first.statusCode == 503)
        #expect(second.statusCode == nil)
    }

    @Test func otherErrorHasNoOutcomeOfAttempt() async throws {
        let client = APIClient.make(
            MockServer { _ in .text("ok") }, LateFailure(error: APIError(.invalidRequest("late"))))

        let error = await expectError(.invalidRequest("late")) {
            try await client.load(EchoRequest())
        }

        #expect(error?.response == nil)
    }

    @Test func ownErrorOfDeadlineKeepsItsParts() async throws {
        let own = APIError(
            .deadline, response: try .make(504), body: Data("own".utf8), underlying: Refusal())
        let client = APIClient.make(MockServer { _ in .text("ok") }, LateFailure(error: own))

        let error = await expectError(.deadline) { try await client.load(EchoRequest()) }

        #expect(error?.statusCode == 504)
        #expect(error?.body == Data("own".utf8))
        #expect(error?.underlying is Refusal)
    }

    /// Returns the error of a call whose second attempt exceeds its deadline.
    private func error(
        after first: MockResponse, _ isOutermost: Bool = true
    ) async throws -> APIError {
        try await error(of: client(after: first, isOutermost), sending: 2)
    }

    /// Returns a client that receives one response, and then none.
    private func client(after first: MockResponse, _ isOutermost: Bool = true) -> APIClient {
        let server = MockServer()
        server.on(.any, reply: first, .never, times: .anyNumber)
        let deadline = Deadline(.seconds(20), clock: clock)
        let retry = Retry(
            maxAttempts: 2, alsoWhen: { $0.error != nil }, clock: clock, jitter: { 0 })
        return .make(
            transport: server, interceptors: isOutermost ? [deadline, retry] : [retry, deadline])
    }

    /// Returns the error of a call that exceeds its deadline after a number of requests.
    private func error(of client: APIClient, sending count: Int) async throws -> APIError {
        let server = try #require(client.transport as? MockServer)
        let load = Task { try await client.load(EchoRequest()) }
        for _ in 0..<count { _ = try await server.nextRequest() }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(20))
        return try #require(await expectError(.deadline) { try await load.value })
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max) * 18])
    func longestDeadlineEndsNoCall(duration: Duration) async throws {
        let client = APIClient.make(interceptors: [Deadline(duration)])

        #expect(try await client.load(EchoRequest()) == "ok")
        #expect(try await client.stream(EchoRequest()).value.text() == "ok")
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min), .seconds(Int64.min) * 18])
    func zeroOrNegativeDeadlineFailsCallBeforeItsRequest(duration: Duration) async {
        let server = MockServer { _ in .never }
        let client = APIClient.make(transport: server, interceptors: [Deadline(duration)])

        await expectError(.deadline) { try await client.load(EchoRequest()) }
        #expect(server.requests.isEmpty)
    }
}

/// An interceptor that throws an error after an attempt.
private struct LateFailure: APIInterceptor {
    let error: APIError

    func intercept<Body: Sendable>(
        _ call: APICall, next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        _ = try await next(call)
        throw error
    }
}

/// A clock on which each reading of the time takes a second, and each sleep ends at once.
private final class TickingClock: Clock {
    private let clock = ManualClock()
    private let recorded = Locked<[ManualClock.Instant]>([])

    var deadlines: [ManualClock.Instant] { recorded.withLock { $0 } }
    var minimumResolution: Duration { .zero }

    var now: ManualClock.Instant {
        clock.advance(by: .seconds(1))
        return clock.now
    }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        recorded.withLock { $0.append(deadline) }
    }
}
