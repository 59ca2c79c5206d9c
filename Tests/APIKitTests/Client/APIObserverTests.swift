import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct APIObserverTests {
    let server = MockServer.current
    let events = Locked<[String]>([])

    private static let outcomes: [(reply: MockResponse, steps: [String])] = [
        (.json(Dog(id: 7)), ["received 1: 200", "succeeded: Dog(id: 7, name: \"Rex\")"]),
        (
            .status(404),
            [
                "received 1: 404",
                "failed: GET https://api.example.com/v1/dogs/7 was refused with status 404.",
            ]
        ),
        (
            .text("<html>"),
            [
                "received 1: 200",
                """
                failed: GET https://api.example.com/v1/dogs/7 returned a body that \
                cannot be decoded: the body is text/plain, not JSON: <html>.
                """,
            ]
        ),
        (
            .failure(Refusal()),
            [
                """
                failed: GET https://api.example.com/v1/dogs/7 failed: Refusal(reason: "no").
                """
            ]
        ),
    ]

    @Test(arguments: outcomes)
    func observerReceivesEachStepOfCall(reply: MockResponse, steps: [String]) async {
        server.on(.get("/v1/dogs/7"), reply: reply)

        _ = try? await client().load(DogRequest(), with: 7)

        #expect(events.current == ["started", "sent 1: /v1/dogs/7"] + steps)
    }

    @Test func observersAreMadeOncePerCall() async throws {
        server.on(.any, reply: .status(503), .text("a"), .text("b"))
        let paths = Locked<[String]>([])
        let client = APIClient.make(
            transport: server, interceptors: [RepeatingInterceptor()],
            observers: { call in
                paths.append(call.request.url?.absoluteString ?? "")
                return []
            })

        _ = try await client.load(EchoRequest())
        _ = try await client.load(EchoRequest { try URLRequest(.get, "again") })

        #expect(
            paths.current
                == ["https://api.example.com/v1/echo", "https://api.example.com/v1/again"])
    }

    @Test func observerReceivesNumberOfEachAttempt() async throws {
        server.on(.get("/v1/echo"), reply: .failure(.timedOut), .status(503), .text("third"))
        let client = client(RepeatingInterceptor(times: 3))

        _ = try await client.load(EchoRequest())

        #expect(
            events.current == [
                "started", "sent 1: /v1/echo", "sent 2: /v1/echo", "received 2: 503",
                "sent 3: /v1/echo", "received 3: 200", "succeeded: third",
            ])
    }

    @Test func observerReceivesRequestAsSent() async throws {
        server.on(.get("/v2/echo"))
        let client = client(
            RequestAdapter { $0.url = try .make("https://api.example.com/v2/echo") })

        _ = try await client.load(EchoRequest())

        #expect(events.current[at: 1] == "sent 1: /v2/echo")
    }

    @Test func observerReceivesInterceptorError() async {
        let client = client(RequestAdapter { _ in throw Refusal() })

        await #expect(throws: Refusal.self) { try await client.load(EchoRequest()) }

        #expect(events.current == ["started", "failed: Refusal(reason: \"no\")"])
    }

    @Test func observerReceivesNoRequestOfCanceledCall() async {
        let client = client()

        await #expect(throws: CancellationError.self) {
            try await inCanceledTask { try await client.load(EchoRequest()) }
        }

        #expect(events.current == ["started", "failed: CancellationError()"])
    }

    @Test func observersAreNotMadeForInvalidRequest() async {
        let count = Locked(0)
        let client = APIClient.make(
            transport: server,
            observers: { _ in
                count.increment()
                return []
            })

        await #expect(throws: Refusal.self) {
            try await client.load(EchoRequest { throw Refusal() })
        }
        await #expect(throws: APIError.self) {
            try await client.load(EchoRequest { try URLRequest(.get, "..") })
        }
        #expect(count.current == 0)
    }

    @Test func observersOfCallAreCalledInOrder() async throws {
        server.on(.get("/v1/echo"), reply: .text("hello"))
        let others = Locked<[String]>([])
        let client = APIClient.make(
            transport: server,
            observers: { [events] _ in
                [RecordingObserver(events: events), RecordingObserver(events: others)]
            })

        _ = try await client.load(EchoRequest())

        #expect(events.current.count == 4)
        #expect(others.current == events.current)
    }

    @Test func observerMethodsAreOptional() async throws {
        struct Indifferent: APIObserver {}
        server.on(.get("/v1/echo"), reply: .text("hello"), .status(404))
        let client = APIClient.make(transport: server, observers: { _ in [Indifferent()] })

        #expect(try await client.load(EchoRequest()) == "hello")
        await #expect(throws: APIError.self) { try await client.load(EchoRequest()) }
    }

    private func client(_ interceptors: any APIInterceptor...) -> APIClient {
        .make(
            transport: server, interceptors: interceptors,
            observers: { [events] _ in [RecordingObserver(events: events)] })
    }
}
