import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct StreamCancellationTests {
    private let server = MockServer.current
    private let body = HeldBody()

    /// A stream whose body the test sends and ends.
    private func stream() async throws -> ByteStream {
        server.on(.get("/v1/echo"), reply: .stream(body.chunks))
        return try await APIClient.make(transport: server.session).stream(EchoRequest()).value
    }

    @Test func cancelEndsRequest() async throws {
        let stream = try await stream()

        stream.cancel()

        try await body.untilEnded()
        await #expect(throws: CancellationError.self) { try await stream.data() }
    }

    @Test func errorOfCancelReachesWaitingReader() async throws {
        let stream = try await stream()
        body.send("one")
        var iterator = stream.makeAsyncIterator()
        _ = try await iterator.next()
        async let end = stream.outcome()

        stream.cancel(throwing: Refusal())

        #expect(await end.error is Refusal)
        await #expect(throws: Refusal.self) { try await iterator.next() }
    }

    @Test func canceledTaskReadsNothing() async throws {
        let stream = try await stream()
        body.send("one")

        await #expect(throws: CancellationError.self) {
            try await inCanceledTask { try await stream.data() }
        }
    }

    @Test func callCanceledDuringRefusalThrows() async throws {
        server.on(.get("/v1/echo"), reply: .stream(body.chunks, status: 404))
        let load = Task {
            try await APIClient.make(transport: server.session).stream(EchoRequest())
        }
        _ = try await server.nextRequest()

        load.cancel()

        await #expect(throws: CancellationError.self) { try await load.value }
        try await body.untilEnded()
    }

    @Test func streamCanBeReadInAnotherTask() async throws {
        let opening = Task { try await self.stream() }
        let stream = try await opening.value
        body.send("one")
        body.finish()

        #expect(try await stream.text() == "one")
    }
}
