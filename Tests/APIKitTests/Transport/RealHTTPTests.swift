import APIKit
import APIKitTesting
import Foundation
import Testing

/// The parts of HTTP that a mock cannot simulate.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct RealHTTPTests {
    private let session = URLSession.plain()

    func send(
        _ request: URLRequest, in session: URLSession? = nil, by way: LoadingWay = .whole
    ) async throws -> (String, HTTPURLResponse) {
        try await way.load(request, by: session ?? self.session)
    }

    @Test(arguments: ["right", "wrong"], LoadingWay.allCases)
    func delegateOfSessionReceivesChallenge(password: String, way: LoadingWay) async throws {
        let server = try LoopbackServer { request in
            request.header("Authorization") == "Basic YWRhOnJpZ2h0"  // ada:right
                ? LoopbackServer.response(200, body: "welcome")
                : LoopbackServer.response(
                    401, ["WWW-Authenticate: Basic realm=\"d\""], body: "who?")
        }
        let session = URLSession.plain(delegate: ChallengeDelegate(password: password))

        let (body, head) = try await send(URLRequest(url: server.url("/")), in: session, by: way)

        #expect(head.statusCode == (password == "right" ? 200 : 401))
        #expect(body == (password == "right" ? "welcome" : "who?"))
    }

    @Test(arguments: LoadingWay.allCases)
    func redirectWithoutLocationAfterALoginReplacesTheChallenge(way: LoadingWay) async throws {
        let server = try LoopbackServer { request in
            request.header("Authorization") == nil
                ? LoopbackServer.response(
                    401, ["WWW-Authenticate: Basic realm=\"d\""], body: "who?")
                : LoopbackServer.response(302, body: "moved")
        }
        let session = URLSession.plain(delegate: ChallengeDelegate(password: "right"))

        let (body, head) = try await send(URLRequest(url: server.url("/")), in: session, by: way)

        #expect(head.statusCode == 302)
        #expect(body == "moved")
    }

    @Test(arguments: LoadingWay.allCases)
    func delegateThatCancelsChallengeCancelsCall(way: LoadingWay) async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(401, ["WWW-Authenticate: Basic realm=\"d\""])
        }
        let session = URLSession.plain(
            delegate: ChallengeDelegate { _ in (.cancelAuthenticationChallenge, nil) })

        let error = await #expect(throws: URLError.self) {
            try await send(URLRequest(url: server.url("/")), in: session, by: way)
        }

        #expect(error?.code == .cancelled)
    }

    @Test(arguments: ["100 Continue", "103 Early Hints"], LoadingWay.allCases)
    func interimResponseIsSkipped(status: String, way: LoadingWay) async throws {
        let server = try LoopbackServer { _, connection in
            connection.write("HTTP/1.1 \(status)\r\nX-Kind: interim\r\n\r\n")
            connection.write(LoopbackServer.response(201, ["X-Kind: final"], body: "hello"))
        }

        let (body, head) = try await send(URLRequest(url: server.url("/")), by: way)

        #expect(body == "hello")
        #expect(head.statusCode == 201)
        #expect(head.value(forHTTPHeaderField: "X-Kind") == "final")
    }

    @Test func loadCanceledByDelegateOfRedirectSendsNoFurtherRequest() async throws {
        let server = try LoopbackServer { request in
            request.path == "/start"
                ? LoopbackServer.response(302, ["Location: /end"], body: "moved")
                : LoopbackServer.response(200)
        }
        let load = Locked<Task<(Data, URLResponse), any Error>?>(nil)
        let started = Waiter<Void>()
        let delegate = RedirectDelegate { request in
            load.withLock { $0 }?.cancel()
            return request
        }
        let session = URLSession.plain(delegate: delegate)
        let (start, other) = (server.url("/start"), server.url("/other"))

        let task = Task {
            try await started.wait()
            return try await session.send(URLRequest(url: start))
        }
        load.withLock { $0 = task }
        started.answer(.success(()))

        await #expect(throws: CancellationError.self) { try await task.value }
        // Its task starts after that of a redirect.
        _ = try await session.send(URLRequest(url: other))
        #expect(server.requests.map(\.path) == ["/start", "/other"])
    }
}
