import APIKit
import APIKitTesting
import Foundation
import Testing

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

    @Test func instancesShareNothing() async throws {
        let calls = (0..<2).map { _ in
            Task { [server] in
                let client = APIClient.make(server, Coalescing())
                return try await client.load(EchoRequest())
            }
        }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))

        for call in calls { _ = try await call.value }
        #expect(server.requests.count == 2)
    }

    @Test func callsWithDifferentTokensShareNothing() async throws {
        let tokens = StubTokens("ada")
        let client = APIClient.make(server, BearerAuthentication(tokens), coalescing)
        let ada = Task { try await client.load(EchoRequest()) }
        await clock.waitForSleepers()
        tokens.use("bob")
        let bob = Task { try await client.load(EchoRequest()) }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))

        _ = try await (ada.value, bob.value)
        #expect(server.requests.map { $0.header("Authorization") } == ["Bearer ada", "Bearer bob"])
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
