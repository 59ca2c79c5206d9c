import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct StreamObserverTests {
    private let server = MockServer.current
    private let events = Locked<[String]>([])
    private static let begin = ["started", "sent 1: /v1/echo", "received 1: 200"]

    private func client(_ interceptors: any APIInterceptor...) -> APIClient {
        .make(
            transport: server.session, interceptors: interceptors,
            observers: { [events] _ in [RecordingObserver(events: events)] })
    }

    @Test func observerReceivesSuccessAfterFullRead() async throws {
        server.on(.get("/v1/echo"), reply: .text("hello"))
        let response = try await client().stream(EchoRequest())
        #expect(events.current == Self.begin)

        _ = try await response.value.data()

        #expect(events.current == Self.begin + ["succeeded: ()"])
    }

    @Test(arguments: [true, false])
    func observerReceivesCancellationWhenReadingEndsEarly(inLoop: Bool) async throws {
        server.on(.get("/v1/echo"), reply: .text("hello"))

        if inLoop {
            for try await _ in try await client().stream(EchoRequest()).value { break }
        } else {
            _ = try await client().stream(EchoRequest())
        }

        #expect(events.current == Self.begin + ["failed: CancellationError()"])
    }

    @Test func observerReceivesErrorOfBrokenStream() async throws {
        server.on(.get("/v1/echo"), reply: .text("hello").truncated(after: 2))

        _ = await (try client().stream(EchoRequest())).value.outcome()

        #expect(
            events.current == Self.begin + [
                """
                failed: GET https://api.example.com/v1/echo failed: the connection was lost \
                (URLError -1005).
                """
            ])
    }

    @Test func observerReceivesCancellationBeforeHead() async throws {
        server.on(.get("/v1/echo"), reply: .never)
        let client = client()
        let load = Task { try await client.stream(EchoRequest()) }
        _ = try await server.nextRequest()

        load.cancel()

        await #expect(throws: CancellationError.self) { try await load.value }

        #expect(events.current == ["started", "sent 1: /v1/echo", "failed: CancellationError()"])
    }
}
