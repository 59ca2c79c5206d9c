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

    @Test func requestAndResponseArriveWhole() async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(418, ["X-Kind: teapot"], body: "short and stout")
        }
        let request = try URLRequest(
            .post, APIPath(verbatim: server.url("/pots").absoluteString), query: ["q": "a+b c&d"],
            headers: ["X-Sent": "1"], body: .json(["a": 1]))

        let (body, head) = try await send(request)

        #expect(head.statusCode == 418)
        #expect(head.value(forHTTPHeaderField: "X-Kind") == "teapot")
        #expect(body == "short and stout")
        #expect(server.requests[0].path == "/pots?q=a%2Bb%20c%26d")
        #expect(server.requests[0].body == #"{"a":1}"#)
        #expect(server.requests[0].header("X-Sent") == "1")
        #expect(server.requests[0].header("Content-Type") == "application/json")
    }

    @Test(
        arguments: [
            "Basic realm=\"dogs\"", "Digest realm=\"dogs\", nonce=\"1\"", "Bearer",
        ], LoadingWay.allCases)
    func refusedChallengeIsReturned(challenge: String, way: LoadingWay) async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(401, ["WWW-Authenticate: \(challenge)"], body: "who?")
        }

        let (body, head) = try await send(URLRequest(url: server.url("/")), by: way)

        #expect(head.statusCode == 401)
        #expect(body == "who?")
        #expect(head.value(forHTTPHeaderField: "WWW-Authenticate") == challenge)
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

    @Test func linkIsFoundInAnyOfSeveralHeaders() async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(
                200,
                ["Link: <?page=1>; rel=prev", "Link: <?page=3>; rel=next", "Link: </>; rel=up"])
        }

        let (_, head) = try await send(URLRequest(url: server.url("/dogs?page=2")))

        #expect(head.link(relation: "prev") == server.url("/dogs?page=1"))
        #expect(head.link(relation: "next") == server.url("/dogs?page=3"))
        #expect(head.link(relation: "up") == server.url("/"))
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

    @Test func connectionLostWithinBodyIsAnError() async throws {
        let server = try LoopbackServer { _, connection in
            connection.write(LoopbackServer.head(200, ["Content-Length: 10"]) + "0123")
        }

        let error = await #expect(throws: URLError.self) {
            try await session.send(URLRequest(url: server.url("/")))
        }

        #expect(error?.code == .networkConnectionLost)
    }

    @Test func refusedConnectionIsAnError() async throws {
        let port = try RefusingPort()

        let error = await #expect(throws: URLError.self) {
            try await session.send(URLRequest(url: port.url))
        }

        #expect(error?.code == .cannotConnectToHost)
    }
}
