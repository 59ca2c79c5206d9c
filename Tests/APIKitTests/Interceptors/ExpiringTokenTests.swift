import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct ExpiringTokenTests {
    @TaskLocal private static var trace: String?

    /// An authority whose tokens are `t1`, `t2` and so on.
    private final class Authority: Sendable {
        let clock = ManualClock()
        private let fetches = Locked(0)
        private let lifetime: Duration
        /// Waits or fails before the fetch of a number.
        private let grant: @Sendable (Int) async throws -> Void
        /// The tokens that a server received, in order.
        let sent = Locked<[String]>([])

        var fetchCount: Int { fetches.current }

        init(_ lifetime: Duration, grant: @escaping @Sendable (Int) async throws -> Void = { _ in })
        {
            (self.lifetime, self.grant) = (lifetime, grant)
        }

        /// A client whose server refuses some tokens.
        func client(refusing refused: Set<String> = [], _ outer: any APIInterceptor...) -> APIClient
        {
            let server = MockServer { [sent] request in
                let token = String(request.header("Authorization")?.dropFirst(7) ?? "none")
                sent.append(token)
                return refused.contains(token) ? .status(401) : .text("ok")
            }
            let tokens = BearerAuthentication(
                expiring: { [self] in
                    fetches.increment()
                    let number = fetches.current
                    try await grant(number)
                    return ("t\(number)", lifetime)
                }, clock: clock)
            return APIClient.make(transport: server, interceptors: outer + [tokens])
        }
    }

    @Test func tokenIsFetchedOnceForAllCallsOfItsLifetime() async throws {
        let authority = Authority(.seconds(600)) { _ in await Task.yield() }
        let client = authority.client()

        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 1...20 { group.addTask { try await client.load(EchoRequest()) } }
            try await group.waitForAll()
        }
        authority.clock.advance(by: .seconds(539))
        _ = try await client.load(EchoRequest())

        #expect(authority.fetchCount == 1)
        #expect(authority.sent.current == Array(repeating: "t1", count: 21))
    }

    /// The last tenth of the lifetime is at most a minute.
    @Test(arguments: [(100, 90), (600, 540), (86_400, 86_340)])
    func callsUseOldTokenDuringTheNextFetch(lifetime: Int, end: Int) async throws {
        let (started, granted) = (Waiter<Void>(), Waiter<Void>())
        let authority = Authority(.seconds(lifetime)) { number in
            guard number == 2 else { return }
            started.answer(.success(()))
            try await granted.value
        }
        let client = authority.client()
        _ = try await client.load(EchoRequest())
        authority.clock.advance(by: .seconds(end))

        _ = try await client.load(EchoRequest())
        try await started.value
        for _ in 1...5 { _ = try await client.load(EchoRequest()) }
        granted.answer(.success(()))
        while authority.sent.current.last != "t2" { _ = try await client.load(EchoRequest()) }

        #expect(authority.sent.current.prefix(7) == Array(repeating: "t1", count: 7)[...])
        #expect(authority.fetchCount == 2)
    }

    @Test func failedFetchLeavesOldTokenUntilItExpires() async throws {
        let failed = Locked(0)
        let authority = Authority(.seconds(100)) { number in
            guard number > 1 else { return }
            failed.increment()
            throw Refusal()
        }
        let client = authority.client()
        _ = try await client.load(EchoRequest())
        authority.clock.advance(by: .seconds(99))

        while failed.current < 2 { #expect(try await client.load(EchoRequest()) == "ok") }
        authority.clock.advance(by: .seconds(1))
        await #expect(throws: Refusal.self) { try await client.load(EchoRequest()) }

        #expect(Set(authority.sent.current) == ["t1"])
    }

    @Test func lifetimeCountsFromTheStartOfTheFetch() async throws {
        let clock = Locked<ManualClock?>(nil)
        let authority = Authority(.seconds(100)) { number in
            if number == 1 { clock.current?.advance(by: .seconds(100)) }
        }
        clock.withLock { $0 = authority.clock }
        let client = authority.client()

        _ = try await client.load(EchoRequest())
        _ = try await client.load(EchoRequest())

        #expect(authority.sent.current == ["t1", "t2"])
    }

    @Test(arguments: [Duration.zero, .seconds(-5), .seconds(Int64.min)])
    func tokenWithoutLifetimeIsFetchedForEachCall(lifetime: Duration) async throws {
        let authority = Authority(lifetime)
        let client = authority.client()

        for _ in 1...3 { _ = try await client.load(EchoRequest()) }

        #expect(authority.sent.current == ["t1", "t2", "t3"])
    }

    @Test(arguments: [0, 100])
    func refusedTokenIsFetchedAgainOnce(lifetime: Int) async throws {
        let authority = Authority(.seconds(lifetime))

        #expect(try await authority.client(refusing: ["t1"]).load(EchoRequest()) == "ok")

        #expect(authority.sent.current == ["t1", "t2"])
        #expect(authority.fetchCount == 2)
    }

    /// It has the account of the old token, so a call may take it in a later attempt.
    @Test func attemptAfterTheEndOfATokenSendsTheNextOne() async throws {
        let authority = Authority(.seconds(100))
        let server = MockServer()
        server.on(.any, reply: .status(503), .text("ok"))
        let client = authority.client(
            Retry(baseDelay: .zero, jitter: { 0 }),
            CallInterceptor { [clock = authority.clock] _ in clock.advance(by: .seconds(100)) })
        var retrying = client
        retrying.transport = server

        #expect(try await retrying.load(EchoRequest()) == "ok")

        #expect(server.requests.map { $0.header("Authorization") } == ["Bearer t1", "Bearer t2"])
    }

    @Test func fetchContinuesWithoutTheCallThatStartedIt() async throws {
        let (started, granted, traces) = (Waiter<Void>(), Waiter<Void>(), Locked<[String?]>([]))
        let authority = Authority(.seconds(100)) { _ in
            traces.append(Self.trace)
            started.answer(.success(()))
            try await granted.value
            try Task.checkCancellation()
        }
        let client = authority.client()
        let call = Self.$trace.withValue("call") {
            Task { try await client.load(EchoRequest()) }
        }

        try await started.value
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        granted.answer(.success(()))

        #expect(try await client.load(EchoRequest()) == "ok")
        #expect(traces.current == [nil])
        #expect(authority.fetchCount == 1)
    }
}
