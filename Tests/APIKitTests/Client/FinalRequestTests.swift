import APIKit
import APIKitTesting
import Foundation
import Testing

/// The final request of a call, for another loader.
@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct FinalRequestTests {
    private let server = MockServer.current

    @Test func finalRequestHasWhatTheClientAndTheInterceptorsSet() async throws {
        let events = Locked<[String]>([])
        let client = APIClient.make(
            headers: ["User-Agent": "Dogs"], transport: server,
            interceptors: [
                BearerAuthentication(StubTokens("a")),
                RequestAdapter { $0.setValue("7", forHTTPHeaderField: "X-Note") },
            ], observers: { _ in [RecordingObserver(events: events)] })

        let request = try await client.request(for: DogRequest(), with: 7)

        #expect(request.url?.absoluteString == "https://api.example.com/v1/dogs/7")
        #expect(
            request.allHTTPHeaderFields == [
                "Authorization": "Bearer a", "User-Agent": "Dogs", "X-Note": "7",
            ])
        #expect(server.requests.isEmpty)
        #expect(events.current.isEmpty)
    }

    @Test func retryDoesNotRepeatForFinalRequest() async throws {
        let clock = ImpatientClock()
        let retry = Retry(alsoWhen: { _ in true }, clock: clock)

        _ = try await APIClient.make(server, retry).request(for: EchoRequest())

        #expect(clock.waits.isEmpty)
    }

    @Test func finalRequestHasNoConditionOfCache() async throws {
        server.on(.any, reply: .text("ok").header("ETag", "\"1\""), times: 1)
        let client = APIClient.make(server, ETagCache())
        _ = try await client.load(EchoRequest())

        let request = try await client.request(for: EchoRequest())

        #expect(request.value(forHTTPHeaderField: "If-None-Match") == nil)
    }

    @Test func finalRequestSharesNoCallInFlight() async throws {
        server.on(.any, reply: .never, times: 1)
        let client = APIClient.make(server, Coalescing())
        let load = Task { try await client.load(EchoRequest()) }
        _ = try await server.nextRequest()

        let request = try await client.request(for: EchoRequest())

        #expect(request.url?.path == "/v1/echo")
        load.cancel()
        await #expect(throws: CancellationError.self) { try await load.value }
    }

    @Test func finalRequestReleasesPermit() async throws {
        let client = APIClient.make(server, ConcurrencyLimit(1))

        for _ in 0..<2 { _ = try await client.request(for: EchoRequest()) }
    }

    @Test func errorOfInterceptorNamesRequest() async throws {
        let client = APIClient.make(
            baseURL: URL(string: "http://api.example.com"), transport: server,
            interceptors: [BearerAuthentication(StubTokens("a"))])

        let error = await #expect(throws: APIError.self) {
            try await client.request(for: EchoRequest())
        }

        #expect(error?.request?.url?.absoluteString == "http://api.example.com/echo")
    }

    @Test(arguments: [true, false])
    func errorOfAnInvalidHeadHoldsNoToken(isSent: Bool) async throws {
        let client = APIClient.make(
            server, BearerAuthentication(StubTokens("S3CRET")),
            RequestAdapter { $0.httpMethod = "NO SPACE" })

        let error = await #expect(throws: APIError.self) {
            if isSent {
                _ = try await client.load(EchoRequest())
            } else {
                _ = try await client.request(for: EchoRequest())
            }
        }

        #expect(error?.kind == .invalidRequest("\"NO SPACE\" is not a valid method"))
        #expect(error?.request?.url?.path() == "/v1/echo")
        #expect(error?.request?.value(forHTTPHeaderField: "Authorization") == nil)
    }

    @Test func canceledTaskReceivesNoFinalRequest() async {
        let client = APIClient.make(server)

        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.request(for: EchoRequest())
        }

        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
