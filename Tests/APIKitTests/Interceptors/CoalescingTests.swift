import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct CoalescingTests {
    let clock = ManualClock()
    let coalescing = Coalescing()
    let server: MockServer

    init() {
        server = MockServer { [clock] request in
            try await clock.sleepUntilOneSecond()
            return .text("\(request.method) \(request.url.path)")
        }
    }

    @Test(arguments: [HTTPMethod.get, .head])
    func identicalCallsShareOneRequest(method: HTTPMethod) async throws {
        let client = client
        let request = EchoRequest { try URLRequest(method, "echo", query: ["page": 1]) }
        let count = Stress.count(2_000)
        let calls = (0..<count).map { _ in Task { try await client.load(request) } }
        await until("all calls wait") { coalescing.waiterCount == count }
        clock.advance(by: .seconds(1))

        let text = method == .get ? "GET /v1/echo" : ""
        for call in calls { #expect(try await call.value == text) }
        #expect(server.requests.count == 1)
    }

    @Test func laterCallSendsAnotherRequest() async throws {
        let server = MockServer()
        server.on(.get("/v1/echo"), reply: .text("first"), .text("second"))
        let client = APIClient.make(server, coalescing)

        #expect(try await client.load(EchoRequest()) == "first")
        #expect(try await client.load(EchoRequest()) == "second")
    }

    @Test func errorReachesEveryCallAndEndsSharing() async throws {
        let server = MockServer(clock: clock)
        server.on(.get("/v1/echo"), reply: .failure(.timedOut).delayed(.seconds(1)))
        let client = APIClient.make(server, coalescing)
        let calls = (0..<100).map { _ in Task { try await client.load(EchoRequest()) } }
        await until("all calls wait") { coalescing.waiterCount == 100 }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))

        for call in calls {
            await expectError(.transport) { try await call.value }
        }
        server.on(.get("/v1/echo"), reply: .text("again"))
        #expect(try await client.load(EchoRequest()) == "again")
    }

    @Test func eachCallParsesSharedResponse() async throws {
        let client = client
        let text = Task { try await client.load(EchoRequest()) }
        let length = Task { try await client.load(LengthRequest()) }
        await until("both calls wait") { coalescing.waiterCount == 2 }
        clock.advance(by: .seconds(1))

        #expect(try await text.value == "GET /v1/echo")
        #expect(try await length.value == 12)
        #expect(server.requests.count == 1)
    }

    // MARK: - Cancellation

    @Test func cancelledFirstCallThrowsAtOnce() async throws {
        let client = client
        let first = Task { try await client.load(EchoRequest()) }
        await clock.waitForSleepers()
        let second = Task { try await client.load(EchoRequest()) }
        await until("both calls wait") { coalescing.waiterCount == 2 }

        first.cancel()

        await #expect(throws: CancellationError.self) { try await first.value }
        clock.advance(by: .seconds(1))
        #expect(try await second.value == "GET /v1/echo")
        #expect(server.requests.count == 1)
    }

    @Test func lastCancelledCallCancelsRequest() async throws {
        let ended = Locked(false)
        let transport = StubTransport { [clock] _ in
            defer { ended.set(true) }
            try await clock.sleepUntilOneSecond()
            throw Refusal()
        }
        let client = APIClient.make(transport, coalescing)
        let calls = (0..<2).map { _ in Task { try await client.load(EchoRequest()) } }
        await until("both calls wait") { coalescing.waiterCount == 2 }
        await clock.waitForSleepers()

        for call in calls {
            #expect(!ended.current)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }

        await until("the request has ended") { ended.current }
    }

    @Test func callAfterAbandonedRequestSendsAnother() async throws {
        let client = client
        let first = Task { try await client.load(EchoRequest()) }
        await clock.waitForSleepers()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }

        let second = Task { try await client.load(EchoRequest()) }
        _ = try await (server.nextRequest(), server.nextRequest())
        clock.advance(by: .seconds(1))

        #expect(try await second.value == "GET /v1/echo")
    }

    private var client: APIClient { .make(server, coalescing) }

}

/// The same request as `EchoRequest`, with the length of the body as its output.
private struct LengthRequest: APIRequest {
    typealias ResponseDataType = Int

    func makeRequest(from data: Void) throws -> URLRequest { try URLRequest(.get, "echo") }

    func parseResponse(data: Data) throws -> Int { data.count }
}
