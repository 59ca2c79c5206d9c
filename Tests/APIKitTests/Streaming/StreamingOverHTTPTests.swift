import APIKit
import APIKitTesting
import Foundation
import Testing

/// Streams over real connections.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct StreamingOverHTTPTests {
    private let closed = Waiter<Void>()

    private func client(
        of server: LoopbackServer, _ interceptors: any APIInterceptor...
    ) -> APIClient {
        .make(baseURL: server.url("/v1"), transport: URLSession.plain(), interceptors: interceptors)
    }

    /// A server that sends a text, and then waits until the client closes the connection.
    private func endlessServer(
        _ status: Int = 200, _ headers: [String] = [], sending text: String = ""
    ) throws -> LoopbackServer {
        try LoopbackServer { [closed] _, connection in
            connection.write(LoopbackServer.head(status, headers) + text)
            connection.skipToEnd()
            closed.signal()
        }
    }

    // MARK: - Cancellation

    @Test func exitFromLoopClosesConnection() async throws {
        let server = try endlessServer(sending: "start")

        for try await _ in try await client(of: server).stream(EchoRequest()).value { break }

        try await closed.wait()
    }

    @Test func releaseOfResponseClosesConnection() async throws {
        let server = try endlessServer()

        _ = try await client(of: server).stream(EchoRequest())

        try await closed.wait()
    }

    @Test func delegateOfSessionReceivesNoEvents() async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(200, body: "answer") }
        let delegate = EventDelegate()
        let session = URLSession.plain(delegate: delegate)

        let (text, _) = try await LoadingWay.stream.load(
            URLRequest(url: server.url("/")), by: session)
        session.finishTasksAndInvalidate()
        try await delegate.invalidated.wait()

        #expect(text == "answer")
        #expect(delegate.events.current.isEmpty)
    }

    // MARK: - Refusals

    @Test(arguments: [404, 401])
    func restOfRefusalIsNotRead(status: Int) async throws {
        let server = try endlessServer(status, sending: String(repeating: "x", count: 1_100_000))

        let error = await expectError(.status(status)) {
            try await client(of: server).stream(EchoRequest())
        }
        #expect(error?.body == Data(repeating: UInt8(ascii: "x"), count: 1_000_000))
        try await closed.wait()
    }

    /// A login would start only after the end of the body, which never ends.
    @Test(arguments: ["Bearer", "Bearer realm=\"basic\"", "Digest nonce=\"1\"", "Negotiate"])
    func refusalWithoutLoginIsStreamedAtOnce(challenge: String) async throws {
        let server = try endlessServer(401, ["WWW-Authenticate: \(challenge)"], sending: "who?")

        let (stream, response) = try await URLSession.plain()
            .stream(URLRequest(url: server.url("/")))

        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        for try await chunk in stream {
            #expect(String(decoding: chunk, as: UTF8.self) == "who?")
            break
        }
        try await closed.wait()
    }

    @Test func refusalBeforePossibleLoginIsBufferedUpToLimit() async throws {
        let server = try endlessServer(
            401, ["WWW-Authenticate: Basic realm=\"d\""],
            sending: String(repeating: "x", count: 70_000))

        let (stream, response) = try await URLSession.plain()
            .stream(URLRequest(url: server.url("/")))

        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        var count = 0
        for try await chunk in stream {
            count += chunk.count
            if count == 70_000 { break }
        }
        try await closed.wait()
    }

    @Test(arguments: [[], ["WWW-Authenticate: Bearer"], ["WWW-Authenticate: Basic realm=\"d\""]])
    func newTokenReplacesRefusedOne(challenge: [String]) async throws {
        let server = try LoopbackServer { request in
            request.header("Authorization") == "Bearer b"
                ? LoopbackServer.response(200, body: "welcome")
                : LoopbackServer.response(401, challenge, body: "who?")
        }
        let tokens = StubTokens("a") { _ in "b" }

        let response = try await client(of: server, BearerAuthentication(tokens))
            .stream(EchoRequest())

        #expect(try await response.value.text() == "welcome")
    }
}
