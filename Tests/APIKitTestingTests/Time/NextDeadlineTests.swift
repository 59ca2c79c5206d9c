import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct NextDeadlineTests {
    private let clock = ManualClock()
    private let server = MockServer.current

    private func client(
        _ server: MockServer, _ interceptors: any APIInterceptor...
    ) -> APIClient {
        APIClient(
            baseURL: .make("/v1"), transport: server.session, interceptors: interceptors)
    }

    @Test func clockAdvancesToEarliestDeadline() async throws {
        let sleepers = [3, 1, 2, 1].map { seconds in
            Task { try await clock.sleep(for: .seconds(seconds)) }
        }
        await clock.waitForSleepers(4)

        #expect(await clock.advanceToNextDeadline() == .seconds(1))
        #expect(clock.sleeperCount == 2)
        #expect(await clock.advanceToNextDeadline() == .seconds(1))
        #expect(await clock.advanceToNextDeadline() == .seconds(1))

        for sleeper in sleepers { try await sleeper.value }
    }

    @Test func clockWaitsForSleeper() async throws {
        let advance = Task { await clock.advanceToNextDeadline() }
        let sleeper = Task { try await clock.sleep(for: .seconds(7)) }

        #expect(await advance.value == .seconds(7))
        try await sleeper.value
    }

    @Test func cancellationEndsWaitForSleeper() async {
        let advance = Task { await clock.advanceToNextDeadline() }

        advance.cancel()

        #expect(await advance.value == .zero)
    }

    @Test func waitForSleeperTimesOut() async throws {
        let line = #line + 2
        let issues = try await recordedIssues {
            await clock.advanceToNextDeadline(within: .milliseconds(5))
        }

        #expect(
            issues.map(\.text) == [
                """
                After 0.005 seconds, no task sleeps on the clock, which is at 0.0 seconds.
                Pass the clock to the server or to the code that sleeps.
                """
            ])
        #expect(issues.first?.sourceLocation?.line == line)
    }

    @Test func timeLimitAloneDoesNotAdvanceClock() async throws {
        server.on(.any, reply: .never)
        let client = client(server, Deadline(.seconds(20), clock: clock))
        let load = Task { try await client.load(DogsRequest(), with: "akita") }
        _ = try await server.nextRequest()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))

        let issues = try await recordedIssues {
            #expect(await clock.advanceToNextDeadline(within: .milliseconds(5)) == .zero)
        }
        #expect(
            issues.map(\.text) == [
                """
                After 0.005 seconds, only time limits sleep on the clock, which is at 1.0 seconds:
                  - 19.0 seconds left, until 20.0 seconds: Deadline of GET \
                https://api.example.com/v1/dogs?breed=akita
                If a delay should sleep too, pass the clock to its server or client. To let a time \
                limit pass, use advance(by:).
                """
            ])

        load.cancel()
        _ = await load.result
    }

    @Test func clockStopsAtEarlierTimeLimit() async throws {
        let server = MockServer(clock: clock)
        server.on(.any, reply: .text("late").delayed(.seconds(30)))
        let client = client(server, Deadline(.seconds(20), clock: clock))
        let load = Task { try await client.load(DogsRequest(), with: "akita") }
        await clock.waitForSleepers(2)

        #expect(await clock.advanceToNextDeadline() == .seconds(20))

        let error = await #expect(throws: APIError.self) { try await load.value }
        #expect(error?.kind == .deadline)
    }
}

// MARK: - Work in parallel with the clock

extension NextDeadlineTests {
    /// Runs a test often and in parallel, because a race shows only sometimes.
    private func often(
        _ test:
            @escaping @Sendable (_ clock: ManualClock, _ server: MockServer) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Stress.count(100) {
                group.addTask {
                    let clock = ManualClock()
                    try await test(clock, MockServer(clock: clock))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func retriesNeverEndTheirDeadline() async throws {
        try await often { clock, server async throws in
            server.on(.any, reply: .status(503), .status(503), .status(503), .json([Dog]()))
            let client = client(
                server, Deadline(.seconds(20), clock: clock),
                Retry(maxAttempts: 4, baseDelay: .seconds(1), clock: clock, jitter: { 1 }))

            async let dogs = client.load(DogsRequest(), with: "akita")
            for seconds in [1, 2, 4] {
                #expect(await clock.advanceToNextDeadline() == .seconds(seconds))
            }

            #expect(try await dogs.isEmpty)
        }
    }

    @Test func reconnectionsNeverEndTheirDeadline() async throws {
        try await often { clock, server async throws in
            server.on(
                .any, reply: .events(["one"]), .failure(.timedOut),
                .events(["two"]).delayed(.seconds(1)),
                .status(204))
            let client = client(server, Deadline(.seconds(20), clock: clock))

            async let events = client.reconnectingEvents(of: PhotoRequest(), clock: clock).reduce(0)
            {
                count, _ in
                count + 1
            }
            for seconds in [3, 6, 1, 3] {
                #expect(await clock.advanceToNextDeadline() == .seconds(seconds))
            }

            #expect(try await events == 2)
        }
    }

    private struct PhotoRequest: APIRequest {
        typealias ResponseDataType = Data

        func makeRequest(from: Void) throws -> URLRequest { try URLRequest(.get, "photo") }
    }
}
