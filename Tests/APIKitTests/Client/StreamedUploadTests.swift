import APIKitTesting
import Foundation
import Testing

@testable import APIKit

/// Uploads of bodies that arrive while they are sent.
@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct StreamedUploadTests {
    private let server = MockServer.current
    private let steps = Locked<[TransferProgress]>([])

    /// The transports of a mock that send such a body.
    #if canImport(FoundationNetworking)
    private static let transports = [UploadTests.Transport.server]
    #else
    private static let transports = UploadTests.Transport.allCases
    #endif

    private static let album = EchoRequest { try URLRequest(.post, "albums/1") }

    private func transport(_ kind: UploadTests.Transport) -> any HTTPTransport {
        kind == .session ? server.session : server
    }

    @discardableResult
    private func upload(
        _ body: HTTPBody, over transport: UploadTests.Transport,
        _ interceptors: any APIInterceptor...
    ) async throws -> String {
        try await APIClient.make(transport: self.transport(transport), interceptors: interceptors)
            .upload(Self.album, from: body) { [steps] step in steps.append(step) }
    }

    @Test(arguments: transports, [nil, 9])
    func bodyOfASequenceReachesTheServer(
        transport: UploadTests.Transport, length: Int?
    ) async throws {
        let route = server.on(.post("/v1/albums/1"), reply: .text("done"))
        let body = HTTPBody.stream(
            Texts("Rex", "", " and ", "X"), length: length, contentType: "text/plain")
        #expect(try body.length() == length)

        #expect(try await upload(body, over: transport) == "done")

        let request = try #require(route.requests.first)
        #expect(request.body == Data("Rex and X".utf8))
        #expect(request.header("Content-Type") == "text/plain")
        #expect(request.header("Content-Length") == length.map(String.init))
        #expect(request.header("Transfer-Encoding") == (length == nil ? "chunked" : nil))
        #expect(
            steps.current.last == TransferProgress(completedBytes: 9, totalBytes: length))
    }

    @Test(
        arguments: transports,
        [
            (0, "more than the 0 bytes"), (4, "more than the 4 bytes"),
            (5, "more than the 5 bytes"),
            (7, "only 6 of the 7 bytes"),
        ])
    func bodyOfAnotherLengthFailsTheCall(
        transport: UploadTests.Transport, length: (announced: Int, text: String)
    ) async {
        let body = HTTPBody.stream(Texts("Rex", "", "Sam"), length: length.announced)

        await expectError(.invalidRequest("its body has \(length.text) of its length")) {
            try await upload(body, over: transport)
        }
        #expect(server.requests.isEmpty)
    }

    /// The server could take it for a whole body that is right.
    @Test func lastChunkIsSentOnlyIfTheSequenceEnds() async throws {
        let (chunks, _) = try HTTPBody.stream(Texts("Rex", "Sam", "Ada"), length: 6).chunks()
        var read: [Data] = []

        await #expect(throws: APIError.self) {
            for try await chunk in chunks { read.append(chunk) }
        }

        #expect(read == [Data("Rex".utf8)])
    }

    @Test(arguments: transports)
    func errorOfTheSequenceIsTheUnderlyingError(transport: UploadTests.Transport) async {
        let body = HTTPBody.stream(Texts("Rex", error: CocoaError(.fileReadUnknown)))

        let error = await expectError(.invalidRequest("its body cannot be read")) {
            try await upload(body, over: transport)
        }

        #expect((error?.underlying as? CocoaError)?.code == .fileReadUnknown)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: transports, [307, 401, 503])
    func bodyThatCanBeReadOnceIsSentOnce(
        transport: UploadTests.Transport, status: Int
    ) async throws {
        let route = server.on(
            .post("/v1/albums/1"), reply: .status(status).header("Location", "/v2"))
        let tokens = StubTokens("a") { _ in "b" }
        let body = HTTPBody.stream(Texts("Rex"))

        let error = await #expect(throws: APIError.self) {
            try await upload(
                body, over: transport, Retry.immediate, IdempotencyKey(),
                BearerAuthentication(tokens))
        }

        #expect(error?.statusCode == status)
        #expect(route.requests.map(\.body) == [Data("Rex".utf8)])
        // The next upload has the new token.
        #expect(tokens.refreshes == (status == 401 ? ["a"] : []))
    }

    @Test(arguments: transports)
    func redirectToGetDropsTheBodyOfASequence(transport: UploadTests.Transport) async throws {
        server.on(.post("/v1/albums/1"), reply: .redirect(to: "/v2", status: 303))
        let next = server.on(.get("/v2"), reply: .text("done"))

        #expect(try await upload(.stream(Texts("Rex"), length: 3), over: transport) == "done")

        #expect(next.requests.map(\.body) == [Data()])
        #expect(next.requests.map { $0.header("Content-Length") } == [nil])
    }

    @Test(arguments: transports)
    func bodyThatHasBeenReadIsRefused(transport: UploadTests.Transport) async throws {
        let route = server.on(.post("/v1/albums/1"), reply: .text("done"))
        let body = HTTPBody.stream(Texts("Rex"))
        try await upload(body, over: transport)

        let text = "its body can be read only once, and has been sent. Make another body"
        await expectError(.invalidRequest(text)) { try await upload(body, over: transport) }

        #expect(route.requests.count == 1)
    }

    @Test func bodyOfASequenceIsNoBodyInMemory() {
        let body = HTTPBody.stream(Texts("Rex"))
        let text = "its body is a stream of chunks, which only an upload can send"

        expectError(.invalidRequest(text)) { try body.data() }
        expectError(.invalidRequest(text)) { try URLRequest(.post, "albums/1", body: body) }
    }

    @Test(arguments: transports)
    func sequenceThatWaitsHoldsUpNoOtherCall(transport: UploadTests.Transport) async throws {
        server.on(.post("/v1/albums/1"), times: 2) { .data($0.body) }
        server.on(.get("/v1/echo"), reply: .text("other"))
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        let client = APIClient.make(self.transport(transport))
        continuation.yield(Data("Rex".utf8))

        async let first = client.upload(Self.album, from: .stream(chunks))
        #expect(try await client.load(EchoRequest()) == "other")
        async let second = client.upload(Self.album, from: .stream(Texts("Sam")))
        #expect(try await second == "Sam")
        continuation.finish()

        #expect(try await first == "Rex")
    }

    @Test(arguments: transports)
    func canceledCallCancelsTheSequence(transport: UploadTests.Transport) async throws {
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let isRead = Locked(false)
        continuation.onTermination = { _ in end.finish() }
        continuation.yield(Data("Rex".utf8))
        let body = HTTPBody.stream(
            chunks.map { chunk in
                isRead.set(true)
                return chunk
            })
        let call = Task { try await upload(body, over: transport) }
        await until("the sequence is read") { isRead.current }

        call.cancel()

        await #expect(throws: CancellationError.self) { try await call.value }
        for await _ in ends {}
        #expect(server.requests.isEmpty)
    }

    @Test func chunkIsAskedForWhenTheReaderTakesIt() async throws {
        let texts = Texts("Rex", "Sam", "Ada")
        let (chunks, _) = try HTTPBody.stream(texts).chunks()
        #expect(texts.read.current == 0)

        var count = 0
        for try await _ in chunks {
            count += 1
            #expect(texts.read.current == count)
        }
        #expect(count == 3)
    }

    /// Where the system would block all sessions on a sequence, the call fails before anything is read.
    @Test(arguments: [false, true])
    func sessionOnLinuxRefusesASequence(isMocked: Bool) async throws {
        let real = try LoopbackServer { _ in LoopbackServer.response(200, body: "done") }
        let mock = MockServer { _ in .text("done") }
        let session = isMocked ? mock.session : URLSession.plain()
        let client = APIClient.make(baseURL: real.url("/v1"), transport: session)
        let texts = Texts("Rex")
        let result = await Result.of {
            try await client.upload(Self.album, from: .stream(texts, length: 3))
        }

        #if canImport(FoundationNetworking)
        guard case .failure(let error as APIError) = result, case .invalidRequest = error.kind
        else { return #expect(Bool(false), "The call had the result \(result).") }
        #expect("\(error)".contains("Use another transport, such as HTTPClientTransport"))
        #expect(texts.read.current == 0)
        #expect(real.requests.isEmpty && mock.requests.isEmpty)
        #else
        #expect(try result.get() == "done")
        #expect(isMocked || real.requests.map(\.body) == ["Rex"])
        #endif
    }
}
