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

    /// The other call keeps its request, and `APIObserver` promises one end.
    @Test func observersOfACanceledCallHearNothingAfterItsEnd() async throws {
        let (client, steps) = (client, CallRecorder())
        var observed = client
        observed.observers = { _ in [steps] }
        let first = Task { [observed] in try await observed.load(EchoRequest()) }
        await clock.waitForSleepers()
        let second = Task { try await client.load(EchoRequest()) }
        await until("both calls wait") { coalescing.waiterCount == 2 }

        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        clock.advance(by: .seconds(1))

        #expect(try await second.value == "GET /v1/echo")
        #expect(server.requests.count == 1)
        #expect(steps.steps == [.callStarted, .requestSent(attempt: 1), .callFailed])
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

extension CoalescingTests {
    @Test func caseOfHeaderNamesIsIgnored() async throws {
        let requests = try [
            URLRequest.make(headers: ["Accept": "text/plain", "X-Trace": "1"]),
            URLRequest.make(headers: ["x-trace": "1", "ACCEPT": "text/plain"]),
        ]

        #expect(try await requestCount(of: requests) == 1)
    }

    @Test(
        arguments: [
            { $0.httpMethod = "HEAD" },
            { $0.url?.append(queryItems: [URLQueryItem(name: "page", value: "2")]) },
            { $0.url?.append(path: "/") },
            { $0.setValue("fr", forHTTPHeaderField: "Accept-Language") },
            { $0.setValue("EN", forHTTPHeaderField: "Accept-Language") },
            { $0.setValue(nil, forHTTPHeaderField: "Accept-Language") },
            { $0.cachePolicy = .reloadIgnoringLocalCacheData },
            { $0.httpShouldHandleCookies = false },
            { $0.timeoutInterval = 0.3 },
            { $0.networkServiceType = .background },
            { $0.allowsCellularAccess = false },
            { $0.mainDocumentURL = URL(string: "https://other.example") },
        ] as [@Sendable (inout URLRequest) -> Void])
    func differentRequestsAreNotShared(
        change: @escaping @Sendable (inout URLRequest) -> Void
    ) async throws {
        let request = try URLRequest.make(headers: ["Accept-Language": "en"])
        var other = request
        change(&other)

        #expect(try await requestCount(of: [request, other]) == 2)
    }

    @Test(
        arguments: [
            { $0.httpMethod = "POST" },
            { $0.httpMethod = "OPTIONS" },
            { $0.httpBody = Data("{}".utf8) },
            { $0.httpBodyStream = InputStream(data: Data("{}".utf8)) },
        ] as [@Sendable (inout URLRequest) -> Void])
    func requestsThatMayWriteAreNotShared(
        change: @escaping @Sendable (inout URLRequest) -> Void
    ) async throws {
        var request = try URLRequest.make()
        change(&request)

        #expect(try await requestCount(of: [request, request]) == 2)
    }

    @Test func otherBodyTypesAreNotShared() async throws {
        let call = APICall(request: try .make(), apiRequest: EchoRequest())
        let sent = Locked(0)
        let calls = (0..<2).map { _ in
            Task { [coalescing, clock] in
                try await coalescing.intercept(call) { _ in
                    sent.increment()
                    try await clock.sleepUntilOneSecond()
                    return APIResponse(value: "a stream", http: try .make())
                }
            }
        }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))

        for call in calls { #expect(try await call.value.value == "a stream") }
        #expect(sent.current == 2)
    }

    @Test func callsBeforeAndAfterSignInByCookieShareNothing() async throws {
        let session = server.session
        let client = APIClient.make(session, coalescing)
        let first = Task { try await client.load(EchoRequest()) }
        await clock.waitForSleepers()
        try session.setCookie("user", "bob")
        let second = Task { try await client.load(EchoRequest()) }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))

        _ = try await (first.value, second.value)
        #expect(server.requests.map { $0.header("Cookie") } == [nil, "user=bob"])
    }

    @Test func clientsWithDifferentSessionsShareNothing() async throws {
        let (session, coalescing) = (server.session, coalescing)
        let transports: [any HTTPTransport] = [
            session, session.redirecting(.never), server.makeSession(),
        ]
        let calls = transports.map { transport in
            Task {
                try await APIClient.make(transport, coalescing)
                    .load(EchoRequest())
            }
        }
        await clock.waitForSleepers(3)
        clock.advance(by: .seconds(1))

        for call in calls { _ = try await call.value }
        #expect(server.requests.count == 3)
    }

    /// Sends requests concurrently, and returns how many reach the transport.
    private func requestCount(of requests: [URLRequest]) async throws -> Int {
        let sent = Locked(0)
        let calls = requests.map { request in
            Task { [coalescing, clock] in
                try await coalescing.intercept(
                    APICall(request: request, apiRequest: EchoRequest())
                ) { _ in
                    sent.increment()
                    try await clock.sleepUntilOneSecond()
                    return APIResponse(value: Data(), http: try .make())
                }
            }
        }
        await until("every request is sent or every call waits") {
            sent.current == requests.count || coalescing.waiterCount == requests.count
        }
        clock.advance(by: .seconds(1))
        for call in calls { _ = try await call.value }
        return sent.current
    }
}
