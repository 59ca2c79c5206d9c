import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct StreamConcurrencyLimitTests {
    private let server = MockServer.current
    private let limit = ConcurrencyLimit(1)

    private func client(_ interceptors: any APIInterceptor...) -> APIClient {
        .make(transport: server.session, interceptors: interceptors + [limit])
    }

    @Test func streamHoldsItsPermitUntilItIsRead() async throws {
        let (body, isEnding) = (HeldBody(), Locked(false))
        server.on(.get("/v1/first"), reply: .stream(body.chunks))
        server.on(.get("/v1/echo")) { _ in .text(isEnding.current ? "second" : "too early") }
        let client = client()
        let first = try await client.stream(EchoRequest { try URLRequest(.get, "first") }).value
        let second = Task { try await client.stream(EchoRequest()).value.text() }

        body.send("first")
        isEnding.set(true)
        body.finish()

        #expect(try await first.text() == "first")
        #expect(try await second.value == "second")
        try await limit.expectFree(1)
    }

    @Test(arguments: Ending.allCases)
    fileprivate func endOfStreamFreesItsPlace(ending: Ending) async throws {
        server.on(.get("/v1/echo"), reply: ending.response, times: 1)
        let clock = ManualClock()

        await ending.reach(client(Deadline(.seconds(9), clock: clock)), server, clock)

        // A released stream ends with its last reference, which can outlive the task for a moment.
        try await limit.expectFree(1)
    }

    @Test(arguments: ["b", nil])
    func tokenRefreshGetsAPermit(fresh: String?) async throws {
        server.on(.get("/v1/echo"), reply: .text("who?", status: 401))
        server.on(
            .get("/v1/echo").header("Authorization", "Bearer b"), reply: .text("welcome"),
            times: .anyNumber)
        server.on(.get("/v1/refresh"), reply: .text("done"))
        let refreshing = client()
        let tokens = StubTokens("a") { _ in
            let request = EchoRequest { try URLRequest(.get, "refresh") }
            _ = try await refreshing.load(request)
            return fresh
        }

        let stream = Task {
            try await client(BearerAuthentication(tokens)).stream(EchoRequest()).value.text()
        }

        switch fresh {
        case nil:
            let error = await #expect(throws: APIError.self) { try await stream.value }
            #expect(error?.body == Data("who?".utf8))
        default: #expect(try await stream.value == "welcome")
        }
        try await limit.expectFree(1)
    }

    @Test func accepted401IsStreamedWhole() async throws {
        let body = Data(repeating: 7, count: 100_000)
        server.on(.get("/v1/echo"), reply: .data(body, status: 401))

        let stream = try await client(BearerAuthentication(StubTokens("a")))
            .stream(DataRequest.anyStatus()).value

        #expect(try await stream.data() == body)
    }
}

/// The ways in which a stream ends.
private enum Ending: CaseIterable {
    case readWhole, left, dropped, broken, refused, failed, canceledWhileReading
    case canceledBeforeTheHead, tooLate

    var response: MockResponse {
        switch self {
        case .readWhole, .left, .dropped: .text("body")
        case .broken: .text("body").truncated(after: 2)
        case .refused: .text("no", status: 404)
        case .failed: .failure(.timedOut)
        case .canceledWhileReading, .tooLate: .stream(AsyncStream<Data> { $0.yield(Data([1])) })
        case .canceledBeforeTheHead: .never
        }
    }

    func reach(_ client: APIClient, _ server: MockServer, _ clock: ManualClock) async {
        let started = Waiter<Void>()
        let load = Task {
            let response = try await client.stream(EchoRequest())
            if self == .dropped { return }
            for try await _ in response.value {
                started.signal()
                if self == .left { return }
            }
        }
        switch self {
        case .canceledWhileReading:
            try? await started.wait()
            load.cancel()
        case .tooLate:
            try? await started.wait()
            await clock.waitForSleepers()
            clock.advance(by: .seconds(9))
        case .canceledBeforeTheHead:
            _ = try? await server.nextRequest()
            load.cancel()
        default:
            break
        }
        _ = await load.result
    }
}
