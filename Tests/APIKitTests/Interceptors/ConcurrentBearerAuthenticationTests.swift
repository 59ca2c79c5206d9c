import APIKit
import APIKitTesting
import Foundation
import Testing

/// Calls that are all sent with the same token before the first response arrives.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct ConcurrentBearerAuthenticationTests {
    let clock = ManualClock()

    @Test func callRefusedAfterRefreshUsesNewToken() async throws {
        let tokens = StubTokens("a") { _ in "b" }
        let client = client(tokens)
        let early = Task { try await client.load(Get("1")) }
        let late = Task { try await client.load(Get("2")) }
        await clock.waitForSleepers(2)

        clock.advance(by: .seconds(1))
        #expect(try await early.value == "ok")
        clock.advance(by: .seconds(1))

        #expect(try await late.value == "ok")
        #expect(tokens.refreshes == ["a"])
    }

    @Test func callRefusedAfterFailedRefreshFails() async throws {
        let tokens = StubTokens("a") { _ in throw Refusal() }
        let client = client(tokens)
        let early = Task { try await client.load(Get("1")) }
        let late = (0..<50).map { _ in Task { try await client.load(Get("2")) } }
        await clock.waitForSleepers(51)

        clock.advance(by: .seconds(1))
        await #expect(throws: Refusal()) { try await early.value }
        clock.advance(by: .seconds(1))

        for call in late { await #expect(throws: Refusal()) { try await call.value } }
        #expect(tokens.refreshes == ["a"])
    }

    @Test func callFailsIfFailedRefreshRemovedToken() async throws {
        let provider = Locked<StubTokens?>(nil)
        let tokens = StubTokens("a") { _ in
            provider.current?.use(nil)
            throw Refusal()
        }
        provider.set(tokens)
        let client = client(tokens)
        let calls = ["1", "2"].map { path in Task { try await client.load(Get(path)) } }
        await clock.waitForSleepers(2)

        for call in calls {
            clock.advance(by: .seconds(1))
            await #expect(throws: Refusal()) { try await call.value }
        }
        provider.set(nil)
    }

    @Test func callStartedAfterFailedRefreshRefreshesAgain() async throws {
        let isDown = Locked(true)
        let tokens = StubTokens("a") { _ in
            if isDown.current { throw Refusal() }
            return "b"
        }
        let client = client(tokens)
        let early = Task { try await client.load(Get("1")) }
        let callInFlight = Task { try await client.load(Get("3")) }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        await #expect(throws: Refusal()) { try await early.value }

        isDown.set(false)
        let later = Task { try await client.load(Get("1")) }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))

        #expect(try await later.value == "ok")
        #expect(tokens.refreshes == ["a", "a"])
        clock.advance(by: .seconds(1))
        await #expect(throws: Refusal()) { try await callInFlight.value }
    }

    @Test func refreshWithoutNewTokenIsNotRepeated() async throws {
        let tokens = StubTokens("a")
        let client = client(tokens)
        let calls = ["1", "2"].map { path in Task { try await client.load(Get(path)) } }
        await clock.waitForSleepers(2)

        for call in calls {
            clock.advance(by: .seconds(1))
            await expectError(.status(401)) { try await call.value }
        }
        #expect(tokens.refreshes == ["a"])
    }

    @Test func refreshErrorIsReleasedWithLastCallInFlight() async throws {
        let failure = Locked(WeakReference<Failure>())
        let tokens = StubTokens("a") { _ in
            let error = Failure()
            failure.withLock { $0.object = error }
            throw error
        }
        let client = client(tokens)
        let early = Task { _ = try? await client.load(Get("1")) }
        let late = Task { _ = try? await client.load(Get("2")) }
        await clock.waitForSleepers(2)

        clock.advance(by: .seconds(1))
        await early.value
        #expect(failure.withLock { $0.object } != nil)
        clock.advance(by: .seconds(1))
        await late.value

        await until("the error is released") { failure.withLock { $0.object } == nil }
    }

    // MARK: - Cancellation

    @Test func canceledCallLeavesRefreshRunning() async throws {
        let tokens = StubTokens("a") { [clock] _ in
            try await clock.sleep(for: .seconds(1))
            return "b"
        }
        let calls = try await refusedCalls(2, tokens)
        await clock.waitForSleepers()

        let canceled = try #require(calls.first)
        canceled.cancel()
        await #expect(throws: CancellationError.self) { try await canceled.value }
        clock.advance(by: .seconds(1))

        #expect(try await calls.last?.value == "ok")
        #expect(tokens.refreshes == ["a"])
    }

    @Test func callStartedDuringAbandonedRefreshSharesIt() async throws {
        let tokens = StubTokens("a") { [clock] _ in
            try await clock.sleep(for: .seconds(5))
            return "b"
        }
        let client = client(tokens)
        let first = Task { try await client.load(Get("1")) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        await until("the refresh has begun") { tokens.refreshes == ["a"] }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }

        let second = Task { try await client.load(Get("0")) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))

        #expect(try await second.value == "ok")
        #expect(tokens.refreshes == ["a"])
    }

    @Test func callStartedDuringARefreshIsSentWithTheNewToken() async throws {
        let (began, end) = (Waiter<Void>(), Waiter<Void>())
        let server = MockServer { request in
            request.header("Authorization") == "Bearer b" ? .text("ok") : .status(401)
        }
        let tokens = StubTokens("a") { _ in
            began.signal()
            try await end.value
            return "b"
        }
        let client = APIClient.make(server, BearerAuthentication(tokens))
        async let first = client.load(Get("1"))
        try await began.wait()

        let later = (0..<10).map { _ in Task { try await client.load(Get("2")) } }
        let canceled = try #require(later.first)
        canceled.cancel()
        await #expect(throws: CancellationError.self) { try await canceled.value }
        for _ in 0..<100 { await Task.yield() }
        end.signal()

        for call in later.dropFirst() { #expect(try await call.value == "ok") }
        #expect(try await first == "ok")
        let sent = server.requests.map { $0.header("Authorization") }
        #expect(sent == ["Bearer a"] + Array(repeating: "Bearer b", count: 10))
    }

    /// Starts calls with the token `a`, and waits until the server refuses them.
    private func refusedCalls(
        _ count: Int,
        _ tokens: StubTokens
    ) async throws -> [Task<String, any Error>] {
        let client = client(tokens)
        let calls = (0..<count).map { _ in Task { try await client.load(Get("1")) } }
        await clock.waitForSleepers(count)
        clock.advance(by: .seconds(1))
        return calls
    }

    /// A client whose server requires the token `b`, and delays refusals by the seconds in a path.
    private func client(_ tokens: StubTokens) -> APIClient {
        let server = MockServer { [clock] request in
            if request.header("Authorization") == "Bearer b" { return .text("ok") }
            let seconds = Int(request.url.lastPathComponent) ?? 0
            if seconds > 0 { try await clock.sleep(for: .seconds(seconds)) }
            return .status(401)
        }
        return .make(server, BearerAuthentication(tokens))
    }
}

private struct Get: APIRequest {
    typealias RequestDataType = Void
    typealias ResponseDataType = String

    let path: String

    init(_ path: String) {
        self.path = path
    }

    func makeRequest(from data: Void) throws -> URLRequest { try URLRequest(.get, "\(path)") }
}

private final class Failure: Error {}
