import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct BearerAuthenticationTests {
    let server = MockServer.current

    @Test func refreshThatWaitsForItselfThroughAnotherInstanceFails() async throws {
        server.on(.any, reply: .status(401))
        let (first, second) = (Waiter<APIClient>(), Waiter<APIClient>())
        let request = EchoRequest()
        let client = client(StubTokens("a") { _ in try? await second.value.load(request) })
        let other = self.client(StubTokens("b") { _ in try? await first.value.load(request) })
        first.answer(.success(client))
        second.answer(.success(other))

        await expectError(.status(401)) { try await client.load(request) }
    }

    @Test func fetchIsCanceledWithItsLastCall() async throws {
        let (started, canceled) = (Waiter<Void>(), Waiter<Void>())
        let client = APIClient.make(
            server,
            BearerAuthentication {
                started.answer(.success(()))
                return try await Waiter<String>().wait { canceled.answer(.success(())) }
            })
        let call = Task { try await client.load(EchoRequest()) }

        try await started.value
        call.cancel()
        try await canceled.value
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    // MARK: - Sending the token

    @Test func existingAuthorizationIsKept() async throws {
        server.on(.get("/v1/echo").header("Authorization", "Basic eDp5"), reply: .status(401))
        let tokens = StubTokens("a") { _ in "b" }
        let request = EchoRequest {
            try URLRequest(.get, "echo", headers: ["authorization": "Basic eDp5"])
        }

        await expectError(.status(401)) { try await client(tokens).load(request) }
        #expect(tokens.refreshes.isEmpty)
    }

    @Test func tokenWithLineBreakIsRefused() async {
        let client = APIClient.make(
            server, RequestAdapter { $0.setValue("secret", forHTTPHeaderField: "X-Secret") },
            BearerAuthentication(StubTokens("a\r\nX-Admin: 1")))

        let error = await #expect(throws: APIError.self) { try await client.load(EchoRequest()) }

        #expect(
            error?.description == """
                GET https://api.example.com/v1/echo cannot be sent: the value of its header \
                Authorization contains a control character.
                """)
        #expect(error?.request?.value(forHTTPHeaderField: "X-Secret") == nil)
        #expect(server.requests.isEmpty)
    }

    @Test func descriptionHidesToken() {
        let authentication = BearerAuthentication(StubTokens("hunter2"))
        let client = APIClient.make(interceptors: [authentication])
        var dumped = ""
        dump(client, to: &dumped)

        #expect("\(authentication)" == "BearerAuthentication")
        for text in [dumped, "\(client)", String(reflecting: authentication)] {
            #expect(!text.contains("hunter2"))
        }
    }

    // MARK: - Replacing the token

    @Test func secondRefusalIsReturned() async {
        serve("never")
        let tokens = StubTokens("a") { $0 + "a" }

        await expectError(.status(401)) { try await client(tokens).load(EchoRequest()) }
        #expect(server.requests.count == 2)
        #expect(tokens.refreshes == ["a"])
    }

    @Test func refusalIsReturnedIfTokenCannotBeRefreshed() async {
        serve("never")
        let authentication = BearerAuthentication(FixedToken())

        let error = await expectError(.status(401)) {
            try await APIClient.make(server, authentication)
                .load(EchoRequest())
        }
        #expect(error?.request?.value(forHTTPHeaderField: "Authorization") == nil)
        #expect(server.requests.count == 1)
    }

    @Test func refusalOfBodyThatCannotBeReadAgainRefreshesTheToken() async {
        server.on(.post("/v1/echo"), reply: .status(401))
        let tokens = StubTokens("a") { _ in "b" }
        let request = EchoRequest {
            var request = try URLRequest(.post, "echo")
            request.httpBodyStream = InputStream(data: Data("once".utf8))
            return request
        }

        await expectError(.status(401)) { try await client(tokens).load(request) }
        #expect(tokens.newest == "b")
    }

    @Test func refusalDuringRefreshIsReturned() async throws {
        serve("never")
        let client = Locked<APIClient?>(nil)
        let tokens = StubTokens("a") { _ in try await client.current?.load(EchoRequest()) }
        client.set(self.client(tokens))

        await expectError(.status(401)) { try await client.current?.load(EchoRequest()) }
        #expect(tokens.refreshes == ["a"])
        client.set(nil)
    }

    @Test func refreshThatWaitsForItselfInADetachedTaskFails() async throws {
        // No mock server, because it would apply the timeout to the request.
        let transport = StubTransport { _ in (Data(), try HTTPURLResponse.make(401)) }
        let client = Locked<APIClient?>(nil)
        let request = EchoRequest {
            var request = try URLRequest(.get, "echo")
            request.timeoutInterval = 0.05
            return request
        }
        let tokens = StubTokens("a") { _ in
            try await Task.detached { try await client.current?.load(request) }.value
        }
        client.withLock { $0 = .make(transport, BearerAuthentication(tokens)) }

        let error = await #expect(throws: APIError.self) {
            try await client.current?.load(EchoRequest())
        }

        #expect(
            error?.description == """
                GET https://api.example.com/v1/echo cannot be sent: the refresh of its token took \
                longer than the timeout of the request; if the refresh waits for this call, send \
                the call with a client without BearerAuthentication.
                """)
        #expect(tokens.refreshes == ["a"])
        client.set(nil)
    }

    @Test func tokenThatNeverChangesIsSentAndNotRefreshed() async {
        server.on(
            .get("/v1/echo").header("Authorization", "Bearer key"), reply: .status(401),
            times: .once)
        let client = APIClient.make(server, BearerAuthentication(token: "key"))

        await expectError(.status(401)) { try await client.load(EchoRequest()) }
    }

    @Test func firstTokenIsFetchedOnceForManyCalls() async throws {
        let (fetches, clock) = (Locked(0), ManualClock())
        server.on(
            .get("/v1/echo").header("Authorization", "Bearer t1"), reply: .text("ok"), times: 20)
        let client = APIClient.make(
            server,
            BearerAuthentication {
                fetches.increment()
                try await clock.sleep(for: .seconds(1))
                return "t1"
            })

        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 1...20 { group.addTask { try await client.load(EchoRequest()) } }
            await clock.advanceToNextDeadline()
            try await group.waitForAll()
        }
        #expect(fetches.current == 1)
    }

    @Test(arguments: [true, false])
    func fetchIsRepeatedAfterAnErrorOrARefusal(fails: Bool) async throws {
        let fetches = Locked(0)
        serve("t2")
        let client = APIClient.make(
            server,
            BearerAuthentication {
                let number = fetches.increment()
                if fails, number == 1 { throw Refusal() }
                return "t\(number)"
            })

        if fails { await #expect(throws: Refusal.self) { try await client.load(EchoRequest()) } }
        for _ in 0..<2 { #expect(try await client.load(EchoRequest()) == "ok") }

        #expect(fetches.current == 2)
    }

    private func client(_ tokens: StubTokens) -> APIClient {
        .make(server, BearerAuthentication(tokens))
    }

    /// Accepts one token, and responds to all others with 401.
    private func serve(_ token: String) {
        server.on(.get("/v1/echo"), times: .anyNumber) { request in
            request.header("Authorization") == "Bearer \(token)" ? .text("ok") : .status(401)
        }
    }
}

private struct FixedToken: TokenProvider {
    func token() async throws -> String? { "a" }
}
