import APIKit
import APIKitTesting
import Foundation
import Testing

/// Calls during which users sign in and out, and providers refresh tokens.
@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct BearerInterleavingTests {
    private let server = MockServer.current

    private let post = EchoRequest {
        try URLRequest(.post, "echo", body: .json(["text": "secret"]))
    }

    private var sentTokens: [String?] { server.requests.map { $0.header("Authorization") } }

    @Test func callStartedWithoutTokenGetsNone() async throws {
        let tokens = StubTokens(nil)
        server.on(.post("/v1/echo"), times: 2) { _ in
            defer { tokens.use("b") }
            return .status(tokens.newest == nil ? 429 : 401)
        }
        let client = APIClient.make(server, Retry.immediate, BearerAuthentication(tokens))

        await expectError(.status(401)) { try await client.load(post) }
        #expect(sentTokens == [nil, nil])
    }

    @Test func callKeepsTheTokenOfEachInterceptor() async throws {
        let (first, second) = (StubTokens(nil), StubTokens("b"))
        server.on(.post("/v1/echo"), times: 2) { _ in
            defer { first.use("a") }
            return first.newest == nil ? .status(429) : .text("ok")
        }
        let client = APIClient.make(
            server, Retry.immediate, BearerAuthentication(first), BearerAuthentication(second))

        #expect(try await client.load(post) == "ok")
        #expect(sentTokens == ["Bearer b", "Bearer b"])
    }

    @Test(arguments: [true, false])
    func tokenReadBeforeRefreshIsReplaced(beforeAnyCall: Bool) async throws {
        let tokens = PausingTokens("a") { _ in "b" }
        server.on(
            .post("/v1/echo").header("Authorization", "Bearer b"), reply: .text("ok"), times: 2)
        let early = Waiter<Void>()
        server.on(.post("/v1/echo").header("Authorization", "Bearer a"), times: 2) { _ in
            try await early.value
            return .status(401)
        }
        let client = APIClient.make(server, BearerAuthentication(tokens))
        func read() async throws -> (pause: PausingTokens.Pause, call: Task<String, any Error>) {
            let pause = tokens.pauseNextRead()
            let call = Task { [post] in try await client.load(post) }
            try await pause.hasRead.wait()
            return (pause, call)
        }

        var paused = beforeAnyCall ? try await read() : nil
        let first = Task { [post] in try await client.load(post) }
        _ = try await server.nextRequest()
        if paused == nil { paused = try await read() }
        early.signal()
        #expect(try await first.value == "ok")
        paused?.pause.end.signal()

        #expect(try await paused?.call.value == "ok")
    }

    @Test func nextAttemptUsesNewestOfSeveralRefreshes() async throws {
        let tokens = StubTokens("1") { "\((Int($0) ?? 0) + 1)" }
        let authentication = BearerAuthentication(tokens)
        let other = APIClient.make(server, authentication)
        server.on(
            .get("/v1/other"), reply: .status(401), .text("ok"), .status(401), .text("ok"),
            .status(401), .text("ok"), times: 6)
        let otherRequest = EchoRequest { try URLRequest(.get, "other") }
        server.on(.post("/v1/echo"), times: 2) { _ in
            guard tokens.newest == "1" else { return .text("ok") }
            for _ in 1...3 { _ = try await other.load(otherRequest) }
            return .status(429)
        }
        let client = APIClient.make(server, Retry.immediate, authentication)

        #expect(try await client.load(post) == "ok")
        #expect(
            server.requests(matching: .post("/v1/echo")).map { $0.header("Authorization") }
                == ["Bearer 1", "Bearer 4"])
    }

    /// Calls with two accounts and with none, during constant sign-ins and refreshes.
    @Test func noCallIsSentUnderAnotherAccount() async throws {
        let count = Locked(0)
        let tokens = StubAccounts("ada 0", of: "ada") { token in
            await Task.yield()
            return "\(token.prefix(3)) refreshed \(count.increment())"
        }
        let mixed = Locked(0)
        let server = MockServer { request in
            let account = request.header("Authorization")
                .map { String($0.dropFirst("Bearer ".count).prefix(3)) }
            if request.header("X-First") != account ?? "none" { mixed.increment() }
            await Task.yield()
            return .status([200, 401, 429].randomElement() ?? 200)
        }
        let client = APIClient.make(
            server, AccountScope(), Retry(maxAttempts: 4, baseDelay: .zero),
            BearerAuthentication(tokens), AccountScope.mark)

        await withTaskGroup(of: Void.self) { group in
            for number in 0..<Stress.count(2_000) {
                group.addTask { _ = try? await client.load(EchoRequest()) }
                group.addTask {
                    switch number % 3 {
                    case 0: tokens.use("ada \(number)", of: "ada")
                    case 1: tokens.use("bob \(number)", of: "bob")
                    default: tokens.signOut()
                    }
                }
            }
        }

        #expect(mixed.current == 0)
        #expect(count.current > 0)
    }

    /// Loads and streams share one limit, while some are canceled and some refresh the token.
    @Test func callsThroughAllInterceptorsReleaseFlightsAndPermits() async throws {
        let client = Locked<APIClient?>(nil)
        let count = Locked(0)
        let tokens = StubTokens("0") { _ in
            // The refresh passes the same limit. It would wait forever if the call kept its permit.
            _ = try await client.current?.load(EchoRequest { try URLRequest(.get, "refresh") })
            return "\(count.increment())"
        }
        let server = MockServer { request in
            await Task.yield()
            if request.url.lastPathComponent == "refresh" { return .status(401) }
            return .status([200, 401, 503].randomElement() ?? 200)
        }
        let limit = ConcurrencyLimit(1, perHost: 1)
        let shared = Coalescing()
        let made = APIClient.make(
            server, Coalescing(), Deadline(.seconds(500)), Retry(baseDelay: .zero),
            BearerAuthentication(tokens), shared, limit)
        client.set(made)

        await withTaskGroup(of: Void.self) { group in
            for number in 0..<Stress.count(1_000) {
                let load = Task {
                    let request = EchoRequest { try URLRequest(.get, "\(number % 7)") }
                    if number.isMultiple(of: 2) {
                        _ = try await made.load(request)
                    } else {
                        _ = try await made.stream(request)
                    }
                }
                group.addTask {
                    for _ in 0..<(number % 31) { await Task.yield() }
                    if number.isMultiple(of: 3) { load.cancel() }
                    _ = await load.result
                }
            }
        }

        await until("every flight has ended") { shared.waiterCount == 0 }
        try await limit.expectFree(1)
        client.set(nil)
    }
}

/// Stores the account of the first attempt of a call.
private struct AccountScope: APIInterceptor {
    @TaskLocal static var first = Locked<String?>(nil)

    /// Adds the account of a call's first attempt to every attempt, as a header field.
    static var mark: CallInterceptor {
        CallInterceptor { call in
            let account = call.account
            let first = first.withLock { first in
                first = first ?? account ?? "none"
                return first
            }
            call.request.setValue(first, forHTTPHeaderField: "X-First")
        }
    }

    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        try await Self.$first.withValue(Locked(nil)) { try await next(call) }
    }
}

/// A provider that can pause its next read of the token.
private final class PausingTokens: TokenProvider {
    struct Pause {
        let hasRead = Waiter<Void>()
        let end = Waiter<Void>()
    }

    private let tokens: StubTokens
    private let pause = Locked<Pause?>(nil)

    init(_ token: String, renew: @escaping @Sendable (String) async throws -> String?) {
        tokens = StubTokens(token, renew: renew)
    }

    func pauseNextRead() -> Pause {
        let next = Pause()
        pause.set(next)
        return next
    }

    func token() async throws -> String? {
        let token = tokens.newest
        let pause = pause.withLock { pause in
            defer { pause = nil }
            return pause
        }
        pause?.hasRead.signal()
        try await pause?.end.value
        return token
    }

    func refresh(replacing token: String) async throws -> String? {
        try await tokens.refresh(replacing: token)
    }
}
