import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct StreamDeadlineTests {
    private let server = MockServer.current
    private let clock = ManualClock()
    private let body = HeldBody()

    private var client: APIClient {
        .make(server.session, Deadline(.seconds(20), clock: clock))
    }

    /// Opens a stream whose body the test sends, and advances the clock by one second.
    private func stream() async throws -> ByteStream {
        server.on(.get("/v1/echo"), reply: .stream(body.chunks))
        let stream = try await client.stream(EchoRequest()).value
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        return stream
    }

    @Test func deadlineEndsSlowStream() async throws {
        let stream = try await stream()
        body.send("start")
        async let outcome = stream.outcome()

        clock.advance(by: .seconds(19))

        let error = try #require(await outcome.error as? APIError)
        #expect(error.kind == .deadline)
        #expect(error.request?.url?.path == "/v1/echo")
        #expect(error.statusCode == 200)
        try await body.untilEnded()
    }

    @Test func deadlineEndsUnreadStream() async throws {
        server.on(.get("/v1/echo"), reply: .text("whole"))
        let stream = try await client.stream(EchoRequest()).value
        let ended = Waiter<Void>()
        stream.onEnd { _ in ended.signal() }
        await clock.waitForSleepers()

        clock.advance(by: .seconds(20))
        try await ended.wait()

        await expectError(.deadline) { try await stream.data() }
    }

    @Test func deadlineCountsTimeUntilHead() async throws {
        let server = MockServer(clock: clock)
        server.on(.any, reply: .stream(body.chunks).delayed(.seconds(15)))
        let client = APIClient.make(server.session, Deadline(.seconds(20), clock: clock))
        let load = Task { try await client.stream(EchoRequest()).value }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(15))
        let stream = try await load.value
        await clock.waitForSleepers()
        async let outcome = stream.outcome()

        clock.advance(by: .seconds(5))

        #expect((await outcome.error as? APIError)?.kind == .deadline)
    }

    @Test func deadlineEndsWaitForHeadAndForRefusedBody() async throws {
        for response in [MockResponse.never, .stream(body.chunks, status: 404)] {
            server.on(.get("/v1/echo"), reply: response, times: 1)
            let client = client

            let load = Task { try await client.stream(EchoRequest()) }
            _ = try await server.nextRequest()
            await clock.waitForSleepers()
            clock.advance(by: .seconds(20))

            await expectError(.deadline) { try await load.value }
        }
        try await body.untilEnded()
    }

    @Test func streamReadInTimeSucceeds() async throws {
        let stream = try await stream()
        body.send("all")
        body.finish()

        #expect(try await stream.text() == "all")
        await until("no task sleeps") { clock.sleeperCount == 0 }
        clock.advance(by: .seconds(60))

        #expect(try await stream.data().isEmpty)
    }

    @Test func deadlineDoesNotRetainReleasedStream() async throws {
        let reading = WeakReference(object: try await stream().reading)

        await until("the stream is released") { reading.object == nil }
        try await body.untilEnded()
        await until("no task sleeps") { clock.sleeperCount == 0 }
    }
}
