import APIKit
import APIKitTesting
import Foundation
import Testing

/// The delays of `Retry` for extreme arguments and header fields.
@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct RetryDelayTests {
    private let server = MockServer.current
    private let clock = ImpatientClock()

    private func load(
        attempts: Int = 3,
        baseDelay: Duration = .seconds(1),
        maxDelay: Duration = .seconds(30),
        jitter: Double = 1,
        now: Date = Date(timeIntervalSince1970: 0)
    ) async throws -> String {
        let retry = Retry(
            maxAttempts: attempts, baseDelay: baseDelay, maxDelay: maxDelay, clock: clock,
            jitter: { jitter }, now: { now })
        return try await APIClient.make(server, retry)
            .load(EchoRequest())
    }

    @Test func defaultsAreThreeAttemptsAndDelaysFromHalfASecondToThirtySeconds() async throws {
        server.on(.any, reply: .status(503), times: 12)
        let retries = [
            Retry(clock: clock, jitter: { 1 }), Retry(maxAttempts: 9, clock: clock, jitter: { 1 }),
        ]

        for retry in retries {
            let client = APIClient.make(server, retry)
            await #expect(throws: APIError.self) { try await client.load(EchoRequest()) }
        }

        #expect(clock.waits.prefix(2) == [.milliseconds(500), .seconds(1)])
        #expect(clock.waits.last == .seconds(30))
    }

    @Test func longestDelaysFitTheClock() async throws {
        server.on(.any, reply: .status(503), .status(503), .text("ok"), times: 3)

        _ = try await load(baseDelay: .seconds(Int64.max), maxDelay: .seconds(Int64.max))

        #expect(clock.waits == [.longest, .longest])
    }

    @Test func manyAttemptsWaitForTheLongestDelay() async throws {
        server.on(.any, reply: .status(503), times: 100)

        await #expect(throws: APIError.self) {
            try await load(attempts: 100, baseDelay: .seconds(1 << 40), maxDelay: .seconds(1 << 41))
        }

        #expect(Set(clock.waits.dropFirst()) == [.seconds(1 << 41)])
        #expect(clock.waits.count == 99)
    }

    @Test(arguments: [
        (-1.0, 0), (-.infinity, 0), (2, 1), (.infinity, 1), (.nan, 1),
        (.greatestFiniteMagnitude, 1),
    ])
    func jitterOutsideOfItsRangeIsClamped(jitter: Double, seconds: Int) async throws {
        server.on(.any, reply: .status(503), .text("ok"), times: 2)

        _ = try await load(jitter: jitter)

        #expect(clock.waits == [.seconds(seconds)])
    }

    @Test(arguments: [
        (Duration.seconds(-1), Duration.seconds(30)), (.seconds(Int64.min), .seconds(30)),
        (.seconds(1), .seconds(-1)), (.seconds(1), .seconds(Int64.min)),
    ])
    func negativeDelayIsZero(baseDelay: Duration, maxDelay: Duration) async throws {
        server.on(.any, reply: .status(503), .text("ok"), times: 2)

        _ = try await load(baseDelay: baseDelay, maxDelay: maxDelay)

        #expect(clock.waits == [.zero])
    }

    @Test(
        arguments: [
            (Duration.seconds(9), [.seconds(9)]), (nil, [.seconds(5)]),
            (.seconds(-9), [.zero]), (.seconds(31), []), (.seconds(Int64.max) * 18, []),
        ] as [(Duration?, [Duration])])
    func ruleSetsDelayWithinTheMaximum(delay: Duration?, waits: [Duration]) async throws {
        server.on(
            .any, reply: .status(429).header("Retry-After", "5"), .text("ok"),
            times: .atMost(2))
        let retry = Retry(delay: { _ in delay }, clock: clock, jitter: { 1 })

        _ = try? await APIClient.make(server, retry).load(EchoRequest())

        #expect(clock.waits == waits)
        #expect(server.requests.count == waits.count + 1)
    }

    @Test(arguments: ["9223372036854775807", "99999999999999999999"])
    func retryGivesUpIfRetryAfterExceedsRangeOfClock(header: String) async throws {
        server.on(.any, reply: .status(429).header("Retry-After", header), times: .once)

        let error = await #expect(throws: APIError.self) {
            try await load(maxDelay: .seconds(Int64.max))
        }

        #expect(error?.statusCode == 429)
        #expect(clock.waits.isEmpty)
    }

    @Test(arguments: [60, 9, 1e300, .nan])
    func pastRetryAfterDateWaitsForTheBackoff(now: Double) async throws {
        server.on(
            .any, reply: .status(503).header("Retry-After", "Thu, 01 Jan 1970 00:00:09 GMT"),
            .text("ok"), times: 2)

        _ = try await load(now: Date(timeIntervalSince1970: now))

        #expect(clock.waits == [.seconds(1)])
    }

    // The clock of a device can be wrong by hours. It counts only if the date is malformed.
    @Test(arguments: [
        (-86_400.0, "Thu, 01 Jan 1970 00:00:10 GMT", 7),
        (86_400, "Thu, 01 Jan 1970 00:00:10 GMT", 7), (12, "yesterday", 5),
    ])
    func retryAfterCountsFromTheDateOfTheResponse(
        now: Double, date: String, seconds: Int
    ) async throws {
        server.on(
            .any,
            reply: .status(503).header("Retry-After", "Thu, 01 Jan 1970 00:00:17 GMT")
                .header("Date", date),
            .text("ok"), times: 2)

        _ = try await load(now: Date(timeIntervalSince1970: now))

        #expect(clock.waits == [.seconds(seconds)])
    }
}
