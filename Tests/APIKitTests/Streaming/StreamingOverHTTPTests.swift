import APIKit
import APIKitTesting
import Foundation
import Testing

/// Streams over real connections.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct StreamingOverHTTPTests {
    private static let length = "Content-Length: 10"
    private let signal = DispatchSemaphore(value: 0)
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
            connection.waitUntilClosed()
            closed.signal()
        }
    }

    @Test func eachPartArrivesSeparately() async throws {
        let server = try LoopbackServer { [signal] _, connection in
            connection.write(LoopbackServer.head(200, ["X-Kind: report"]))
            for part in ["one", "two", "six"] {
                signal.waitForSignal()
                connection.write(part)
            }
        }

        let response = try await client(of: server).stream(EchoRequest())

        #expect(response.http.value(forHTTPHeaderField: "X-Kind") == "report")
        signal.signal()
        var parts: [String] = []
        for try await chunk in response.value {
            parts.append(String(decoding: chunk, as: UTF8.self))
            signal.signal()
        }
        #expect(parts == ["one", "two", "six"])
    }

    @Test func largeBodyArrivesInOrder() async throws {
        let count = Stress.count(3_000_000)
        let body = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
        let server = try LoopbackServer { _, connection in
            connection.write(LoopbackServer.head())
            connection.write(body)
        }

        let response = try await client(of: server).stream(EchoRequest())

        #expect(try await response.value.data() == body)
    }

    private static let lengths = [[length, "", "0123"]]
    private static let chunks = [
        ["Transfer-Encoding: chunked", "", "4\r\n0123\r\n"],
        ["Transfer-Encoding: chunked", "", "4\r\n0123\r\n8\r\n"],
    ]
    #if canImport(FoundationNetworking)
    private static let lost = lengths + chunks
    #else
    // The classic loader takes a lost connection for the end of a chunked body (FB24495140).
    private static let lost = lengths
    #endif

    @Test(arguments: lost)
    func lostConnectionThrowsAfterItsBytes(response: [String]) async throws {
        let server = try LoopbackServer { _, connection in
            let head = LoopbackServer.head().dropLast()
            connection.write(String(head) + response.joined(separator: "\r\n"))
        }

        let (text, error) = await (try client(of: server).stream(EchoRequest())).value.outcome()

        #expect(text == "0123")
        let failure = try #require(error as? APIError)
        #expect(failure.kind == .transport)
        #expect(failure.urlError?.code == .networkConnectionLost)
        #expect(failure.response?.statusCode == 200)
    }

    @Test(arguments: ["HEAD /", "GET /none", "GET /empty"])
    func responseWithoutBodyIsAnEmptyStream(request: String) async throws {
        let server = try LoopbackServer { request, connection in
            switch "\(request.method) \(request.path)" {
            case "GET /none": connection.write(LoopbackServer.head(204))
            case "GET /empty": connection.write(LoopbackServer.response(200))
            default: connection.write(LoopbackServer.head(200, [Self.length]))
            }
        }
        let parts = request.split(separator: " ").map(String.init)
        let echo = EchoRequest { try .make(parts[0], server.url(parts[1]).absoluteString) }

        #expect(try await client(of: server).stream(echo).value.data().isEmpty)
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

    // MARK: - Refusals

    @Test(arguments: [404, 401, 503])
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
