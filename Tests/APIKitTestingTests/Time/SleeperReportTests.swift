import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct SleeperReportTests {
    private let clock = ManualClock()
    private let server: MockServer

    init() { server = MockServer(clock: clock) }

    private func client(_ interceptors: any APIInterceptor...) -> APIClient {
        APIClient(
            baseURL: .make("/v1"), transport: server.session, interceptors: interceptors)
    }

    /// Returns the sleepers of the clock while a load waits for them.
    private func sleepers(
        _ count: Int, of load: @escaping @Sendable () async throws -> Void
    ) async -> String {
        let load = Task { try await load() }
        await clock.waitForSleepers(count)
        let text = "\(clock)"
        load.cancel()
        _ = await load.result
        return text
    }

    @Test func listContainsTimesAndOrigins() async {
        server.on(.any, reply: .status(503))
        let client = client(
            Deadline(.seconds(20), clock: clock),
            Retry(baseDelay: .seconds(3), clock: clock, jitter: { 1 }))
        clock.advance(by: .seconds(5))

        let text = await sleepers(2) { try await client.load(SecretRequest()) }

        #expect(
            text == """
                2 tasks sleep on the clock, which is at 5.0 seconds:
                  - 3.0 seconds left, until 8.0 seconds: Retry, before attempt 2 of GET \
                https://api.example.com/v1/secret?api_key=***
                  - 20.0 seconds left, until 25.0 seconds: Deadline of GET \
                https://api.example.com/v1/secret?api_key=***
                """)
    }

    @Test(arguments: [
        MockResponse.status(200).delayed(.seconds(1)),
        .data(Data(count: 10)).throttled(bytesPerSecond: 1),
    ])
    func listContainsDelayedResponse(response: MockResponse) async {
        server.on(.any, reply: response)
        let client = client()

        let text = await sleepers(1) { try await client.load(SecretRequest()) }

        #expect(
            text == """
                1 task sleeps on the clock, which is at 0.0 seconds:
                  - 1.0 seconds left, until 1.0 seconds: MockServer, response to GET \
                https://api.example.com/v1/secret?api_key=***
                """)
    }

    @Test func listContainsTimeout() async {
        server.on(.any, reply: .never)
        let (client, request) = (client(), SecretRequest(timeout: 10))

        let text = await sleepers(1) { try await client.load(request) }

        #expect(
            text.hasSuffix("Timeout of GET https://api.example.com/v1/secret?api_key=***"))
    }

    @Test func listContainsReconnection() async {
        server.on(.any, reply: .failure(.networkConnectionLost))
        let events = client().reconnectingEvents(of: SecretRequest(), clock: clock)

        let text = await sleepers(1) { for try await _ in events {} }

        #expect(
            text.hasSuffix(
                ": reconnectingEvents(of: SleeperReportTests.SecretRequest), before it reconnects"))
    }

    @Test func listContainsAtMostTwentySleepers() async {
        let clock = clock

        let text = await sleepers(23) {
            await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<23 { group.addTask { try await clock.sleep(for: .seconds(1)) } }
            }
        }

        let lines = text.split(separator: "\n")
        #expect(lines.count == 22)
        #expect(lines[at: 20] == "  - 1.0 seconds left, until 1.0 seconds: a task")
        #expect(lines[at: 21] == "  - and 3 more")
    }

    @Test func clockWithoutSleepersHasEmptyList() {
        #expect("\(clock)" == "0 tasks sleep on the clock, which is at 0.0 seconds.")
    }

    @Test func clockThatStandsStillReportsSleepers() async throws {
        let report = Waiter<String>()
        let clock = ManualClock(standstill: .milliseconds(1)) { report.answer(.success($0)) }
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }

        #expect(
            try await report.wait() == """
                In the test clockThatStandsStillReportsSleepers(), a ManualClock has stood still \
                for 0.001 seconds of real time. 1 task sleeps on the clock, which is at 0.0 seconds:
                  - 1.0 seconds left, until 1.0 seconds: a task
                Advance the clock, or cancel the tasks.
                """)
        sleeper.cancel()
    }

    @Test func clockWithSeveralSleepersReportsOnce() async throws {
        let reports = Locked(0)
        let clock = ManualClock(standstill: .milliseconds(1)) { _ in reports.withLock { $0 += 1 } }
        let sleepers = (1...5).map { second in
            Task { try await clock.sleep(for: .seconds(second)) }
        }
        await clock.waitForSleepers(5)
        await until("the clock reports") { reports.withLock { $0 } > 0 }

        // A clock that begins later reports later.
        let later = Waiter<String>()
        let laterClock = ManualClock(standstill: .milliseconds(10)) { later.answer(.success($0)) }
        let sleeper = Task { try await laterClock.sleep(for: .seconds(1)) }
        _ = try await later.wait()

        #expect(reports.withLock { $0 } == 1)
        for task in sleepers + [sleeper] { task.cancel() }
    }

    @Test func clockWithoutSleepersIsNotReported() async throws {
        let reports = Locked<[String]>([])
        let clock = ManualClock(standstill: .milliseconds(5)) { text in
            reports.withLock { $0.append(text) }
        }
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        try await sleeper.value

        // On a slow machine, the clock reports the sleeper, and is watched no more.
        await until("the clock is watched no more") {
            !clock.isWatched || !reports.withLock { $0.isEmpty }
        }
        #expect(!reports.withLock { $0.contains { $0.contains("0 tasks sleep") } })
    }

    /// A request whose query has a secret.
    private struct SecretRequest: APIRequest {
        typealias ResponseDataType = Void

        var timeout: TimeInterval = 60

        func makeRequest(from: Void) throws -> URLRequest {
            var request = try URLRequest(.get, "secret", query: ["api_key": "s3cret"])
            request.timeoutInterval = timeout
            return request
        }
    }
}
