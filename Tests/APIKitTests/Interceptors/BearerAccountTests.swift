import APIKit
import APIKitTesting
import Foundation
import Testing

/// A call of one account is never sent with a token of another account.
@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct BearerAccountTests {
    private let server = MockServer.current

    private func client(
        _ tokens: any TokenProvider, outside interceptors: [any APIInterceptor] = []
    ) -> APIClient {
        .make(transport: server, interceptors: interceptors + [BearerAuthentication(tokens)])
    }

    private let post = EchoRequest {
        try URLRequest(.post, "echo", body: .json(["text": "secret"]))
    }

    private var sentTokens: [String?] { server.requests.map { $0.header("Authorization") } }

    // MARK: - Without an account

    @Test func refusalAfterAnotherSignInIsReturned() async throws {
        let tokens = StubTokens("a") { _ in "c" }
        server.on(.post("/v1/echo")) { _ in
            tokens.use("b")
            return .status(401)
        }

        await expectError(.status(401)) { try await client(tokens).load(post) }
        #expect(sentTokens == ["Bearer a"])
        #expect(tokens.refreshes.isEmpty)
    }

    @Test func nextAttemptAfterAnotherSignInKeepsTokenOfCall() async throws {
        let tokens = StubTokens("a") { _ in "c" }
        server.on(.post("/v1/echo").header("Authorization", "Bearer a"), times: 2) { _ in
            defer { tokens.use("b") }
            return .status(tokens.newest == "a" ? 429 : 401)
        }

        await expectError(.status(401)) {
            try await client(tokens, outside: [Retry.immediate]).load(post)
        }
        #expect(sentTokens == ["Bearer a", "Bearer a"])
    }

    @Test func tokenOfUnrelatedRefreshIsNotUsed() async throws {
        let tokens = StubTokens("a") { _ in "c" }
        let other = client(tokens)
        server.on(.get("/v1/other"), reply: .status(401), .text("ok"), times: 2)
        let otherRequest = EchoRequest { try URLRequest(.get, "other") }
        server.on(.post("/v1/echo")) { _ in
            // Another instance, which may serve another user, refreshes the token.
            _ = try await other.load(otherRequest)
            return .status(401)
        }

        await expectError(.status(401)) { try await client(tokens).load(post) }
        #expect(server.requests(matching: .post("/v1/echo")).count == 1)
    }

    // MARK: - With an account

    /// The second account differs from the first only in its bytes.
    @Test(arguments: [("ada", "bob"), ("caf\u{e9}", "cafe\u{301}")])
    func refusalAfterSignInToAnotherAccountIsReturned(
        account: String, other: String
    ) async throws {
        let tokens = StubAccounts("a", of: account) { _ in "c" }
        server.on(.post("/v1/echo")) { _ in
            tokens.use("b", of: other)
            return .status(401)
        }

        await expectError(.status(401)) { try await client(tokens).load(post) }
        #expect(sentTokens == ["Bearer a"])
        #expect(tokens.refreshes.isEmpty)
    }

    @Test func tokenOfSignInDuringRefreshIsNotUsed() async throws {
        let provider = Locked<StubAccounts?>(nil)
        let tokens = StubAccounts("a", of: "ada") { _ in
            provider.current?.use("b", of: "bob")
            return "b"
        }
        provider.set(tokens)
        server.on(.post("/v1/echo"), reply: .status(401))

        await expectError(.status(401)) { try await client(tokens).load(post) }
        #expect(sentTokens == ["Bearer a"])
        provider.set(nil)
    }

    @Test func newTokenOfSameAccountNeedsNoRefresh() async throws {
        let tokens = StubAccounts("a", of: "ada") { _ in "c" }
        server.on(.post("/v1/echo").header("Authorization", "Bearer a")) { _ in
            tokens.use("b", of: "ada")
            return .status(401)
        }
        server.on(.post("/v1/echo").header("Authorization", "Bearer b"), reply: .text("ok"))

        #expect(try await client(tokens).load(post) == "ok")
        #expect(tokens.refreshes.isEmpty)
    }

    @Test(arguments: [true, false])
    func nextAttemptKeepsAccountOfCall(signsOut: Bool) async throws {
        let tokens = StubAccounts("a", of: "ada")
        server.on(.post("/v1/echo"), times: 2) { request in
            if signsOut { tokens.signOut() } else { tokens.use("b", of: "bob") }
            return .status(429)
        }
        let retry = Retry(maxAttempts: 2, jitter: { 0 })

        await #expect(throws: APIError.self) {
            try await client(tokens, outside: [retry]).load(post)
        }

        #expect(sentTokens == ["Bearer a", "Bearer a"])
    }

    @Test func nextAttemptUsesNewestTokenOfAccount() async throws {
        let tokens = StubAccounts("a", of: "ada")
        server.on(.post("/v1/echo").header("Authorization", "Bearer a")) { _ in
            tokens.use("b", of: "ada")
            return .status(429)
        }
        server.on(.post("/v1/echo").header("Authorization", "Bearer b"), reply: .text("ok"))

        #expect(try await client(tokens, outside: [Retry.immediate]).load(post) == "ok")
    }
}
