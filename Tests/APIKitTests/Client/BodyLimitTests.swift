import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct BodyLimitTests {
    /// The ways from a client to a mock server.
    enum Way: CaseIterable {
        case transport, session, port
    }

    private let server = MockServer.current

    /// Runs a test with a client of the server, which loads at most ten bytes.
    private func run(
        _ way: Way, _ interceptors: any APIInterceptor...,
        test: (APIClient) async throws -> Void
    ) async throws {
        var client = APIClient.make(transport: server, interceptors: interceptors)
        client.maxBodyBytes = 10
        if way == .session { client.transport = server.session }
        guard way == .port else { return try await test(client) }
        client.transport = URLSession.plain()
        try await server.listening { url in
            client.baseURL = url
            try await test(client)
        }
    }

    /// A response whose body has no end after a number of bytes.
    private func response(_ count: Int, status: Int = 200) -> MockResponse {
        let (chunks, input) = AsyncStream.makeStream(of: Data.self)
        input.yield(Data(repeating: UInt8(ascii: "x"), count: count))
        // Without its input, the sequence would end.
        return .stream(chunks.map { [input] in (input, $0).1 }, status: status)
    }

    @Test(arguments: Way.allCases)
    func bodyAboveLimitFailsCall(way: Way) async throws {
        server.on(.any, reply: response(11))

        try await run(way) { client in
            let error = await expectError(.bodyTooLarge(limit: 10)) {
                try await client.load(DataRequest())
            }

            #expect(error?.statusCode == 200)
            #expect(error?.body == nil)
            #expect(
                error.map { "\($0)" }?.hasSuffix(
                    """
                    /echo failed: the body has more than 10 bytes; use download or stream, or set a \
                    higher maxBodyBytes.
                    """) == true)
        }
    }

    @Test(arguments: Way.allCases)
    func bodyOfLimitIsLoaded(way: Way) async throws {
        server.on(.any, reply: .text("0123456789"))

        try await run(way) { client in
            let text = try await client.load(EchoRequest())
            #expect(text == "0123456789")
        }
    }

    @Test func emptyBodyIsWithinAnyLimit() async throws {
        server.on(.any, reply: .text(""), .text("1"))
        var client = APIClient.make(server)
        client.maxBodyBytes = -1

        #expect(try await client.load(EchoRequest()) == "")
        await expectError(.bodyTooLarge(limit: 0)) { try await client.load(EchoRequest()) }
    }

    @Test(arguments: Way.allCases)
    func refusedResponseKeepsFirstMillionBytes(way: Way) async throws {
        server.on(.any, reply: response(1_000_001, status: 500))
        let request = OwnErrorRequest()

        try await run(way) { client in
            let error = await expectError(.status(500)) { try await client.load(request) }

            #expect(error?.body?.count == 1_000_000)
            #expect(
                error.map { "\($0)" }?.contains(
                    "with a body of at least 1,000,000 bytes that parseError did not receive")
                    == true)
        }
    }

    @Test(arguments: Way.allCases)
    func parseErrorReceivesLargestBodyThatIsNotCut(way: Way) async throws {
        server.on(.any, reply: .data(Data(count: 999_999), status: 500))

        try await run(way) { client in
            await #expect(throws: Refusal(reason: "999999 bytes")) {
                try await client.load(OwnErrorRequest())
            }
        }
    }

    @Test func bodyOfAnotherTransportIsChecked() async throws {
        let statuses = Locked([200, 500])
        var client = APIClient.make(
            transport: StubTransport { _ in
                let status = statuses.withLock { $0.removeFirst() }
                return (Data(count: 2_000_000), try HTTPURLResponse.make(status))
            })
        client.maxBodyBytes = 1_999_999

        await expectError(.bodyTooLarge(limit: 1_999_999)) { try await client.load(DataRequest()) }
        let error = await expectError(.status(500)) { try await client.load(OwnErrorRequest()) }
        #expect(error?.body?.count == 1_000_000)
    }

    @Test(arguments: Way.allCases)
    func streamAndDownloadHaveNoLimit(way: Way) async throws {
        server.on(.any, reply: .text("more than ten bytes"))
        let directory = try TemporaryDirectory()
        let file = directory.url.appending(path: "file")

        try await run(way) { client in
            let stream = try await client.stream(EchoRequest()).value
            let data = try await stream.data()
            #expect(data.count == 19)
            try await client.download(EchoRequest(), to: file)
            #expect(directory.text("file") == "more than ten bytes")
        }
    }

    @Test(arguments: Way.allCases)
    func responseToUploadHasLimit(way: Way) async throws {
        server.on(.any, reply: response(11))
        let request = DataRequest { try URLRequest(.put, "echo") }

        try await run(way) { client in
            await expectError(.bodyTooLarge(limit: 10)) {
                try await client.upload(request, from: .data(Data("body".utf8)))
            }
        }
    }

    @Test(arguments: Way.allCases)
    func retryNeverRepeatsBodyTooLarge(way: Way) async throws {
        server.on(.any, reply: response(11), times: .once)
        let retry = Retry(alsoWhen: { _ in true }, clock: ManualClock(), jitter: { 0 })

        try await run(way, retry) { client in
            await expectError(.bodyTooLarge(limit: 10)) { try await client.load(DataRequest()) }
        }
    }

    @Test func lengthAboveLimitFailsCallAtItsHead() async throws {
        let closed = Waiter<Void>()
        let server = try LoopbackServer { request, connection in
            connection.write(LoopbackServer.head(200, ["Content-Length: 11"]))
            guard request.method == "GET" else { return }
            connection.skipToEnd()
            closed.signal()
        }
        var client = APIClient.make(baseURL: server.url("/"), transport: URLSession.plain())
        client.maxBodyBytes = 10

        await expectError(.bodyTooLarge(limit: 10)) { try await client.load(DataRequest()) }
        try await closed.wait()
        // The field gives the length of a body that a response to HEAD does not have.
        #expect(try await client.load(DataRequest.anyStatus(.head)).isEmpty)
    }

    /// The first body is smaller than its encoded form.
    @Test(arguments: [
        ("H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA==", 5, true),
        ("H4sIAAAAAAACA2NgGAWjYBQMdwAAgBcLBugDAAA=", 1_000, true),
        ("H4sIAAAAAAACA2NgGAWjYBQMdwAAgBcLBugDAAA=", 999, false),
    ])
    func limitCountsDecodedBytes(gzip: String, limit: Int, isLoaded: Bool) async throws {
        let data = try #require(Data(base64Encoded: gzip))
        let server = try LoopbackServer { _, connection in
            let fields = ["Content-Encoding: gzip", "Content-Length: \(data.count)"]
            connection.write(Data(LoopbackServer.head(200, fields).utf8) + data)
        }
        var client = APIClient.make(baseURL: server.url("/"), transport: URLSession.plain())
        client.maxBodyBytes = limit

        if isLoaded {
            #expect(try await client.load(DataRequest()).count == limit)
        } else {
            await expectError(.bodyTooLarge(limit: limit)) {
                try await client.load(DataRequest())
            }
        }
    }

    // MARK: - Interceptors that share a response

    @Test func coalescingSharesNoResponseWithAnotherLimit() async throws {
        let (clock, coalescing) = (ManualClock(), Coalescing())
        let server = MockServer(clock: clock)
        server.on(.any, reply: .text("0123456789").delayed(.seconds(1)))
        let client = APIClient.make(server, coalescing)
        var limited = client
        limited.maxBodyBytes = 9

        let whole = Task { try await client.load(EchoRequest()) }
        let cut = Task { [limited] in try await limited.load(EchoRequest()) }
        await until("both calls wait") { coalescing.waiterCount == 2 }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))

        #expect(try await whole.value == "0123456789")
        await expectError(.bodyTooLarge(limit: 9)) { try await cut.value }
    }

    @Test func coalescingSharesNoCutBodyWithCallThatAcceptsResponse() async throws {
        let (clock, coalescing) = (ManualClock(), Coalescing())
        let server = MockServer(clock: clock)
        server.on(.any, reply: .data(Data(count: 1_000_001), status: 404).delayed(.seconds(1)))
        let client = APIClient.make(server, coalescing)

        let refusing = Task { try await client.load(DataRequest()) }
        await clock.waitForSleepers()
        let accepting = Task { try await client.load(DataRequest.anyStatus()) }
        await until("both calls wait") { coalescing.waiterCount == 2 }
        clock.advance(by: .seconds(1))
        await expectError(.status(404)) { try await refusing.value }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))

        #expect(try await accepting.value.count == 1_000_001)
    }

    @Test func cacheStoresNoCutBody() async throws {
        server.on(
            .any, reply: .data(Data(count: 1_000_001)).header("ETag", #""1""#))
        let client = APIClient.make(server, ETagCache())
        let refusing = DataRequest(accepts: { _ in false })

        await expectError(.status(200)) { try await client.load(refusing) }

        #expect(try await client.load(DataRequest()).count == 1_000_001)
        #expect(server.requests.allSatisfy { $0.header("If-None-Match") == nil })
    }
}

/// A request whose error is its own type.
private struct OwnErrorRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from _: Void) throws -> URLRequest { try URLRequest(.get, "echo") }

    func parseError(_ response: APIResponse<Data>) throws -> (any Error)? {
        Refusal(reason: "\(response.value.count) bytes")
    }
}
