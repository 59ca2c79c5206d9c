import APIKit
import APIKitTesting
import AsyncHTTPClientTransport
import Foundation
import Testing

/// Uploads of bodies that arrive while they are sent.
@Suite(.mockServer, .timeLimit(.minutes(10))) struct StreamedUploadTests {
    private let server = MockServer.current
    private let transport = HTTPClientTransport()

    private func upload(
        _ body: HTTPBody, with request: URLRequest, _ interceptors: any APIInterceptor...
    ) async throws -> String {
        try await APIClient(transport: transport, interceptors: interceptors)
            .upload(TextRequest(), with: request, from: body)
    }

    @Test(arguments: [nil, 6])
    func chunkIsSentBeforeTheNextOneExists(length: Int?) async throws {
        let (chunks, next) = AsyncStream.makeStream(of: Data.self)
        try await LoopbackServer.run(serve: { connection in
            let head = try connection.head()
            #expect(head.contains(length == nil ? "chunked" : "Content-Length: 6"))
            // A chunk has its size before it.
            try connection.skip(length == nil ? "3\r\nRex\r\n".utf8.count : 3)
            next.yield(Data("Sam".utf8))
            next.finish()
            try connection.skip(length == nil ? "3\r\nSam\r\n0\r\n\r\n".utf8.count : 3)
            connection.write(.response(200, "done"))
        }) { server in
            next.yield(Data("Rex".utf8))
            let body = HTTPBody.stream(chunks, length: length)

            let text = try await upload(body, with: server.request("/photos", method: "POST"))

            #expect(text == "done")
        }
    }

    @Test func sequenceThatWaitsHoldsUpNoOtherCall() async throws {
        let (chunks, next) = AsyncStream.makeStream(of: Data.self)
        server.on(.post("/photos"), times: 2) { .data($0.body) }
        server.on(.get("/dogs"), reply: .text("Ada"))
        try await server.listening { url in
            next.yield(Data("Rex".utf8))
            async let first = upload(.stream(chunks), with: url.photos)
            let other = try await transport.send(URLRequest(url: url.appending(path: "dogs"))).0
            #expect(other == Data("Ada".utf8))
            let second = try await upload(.stream(AsyncStream.of("Sam")), with: url.photos)
            #expect(second == "Sam")
            next.finish()

            let text = try await first
            #expect(text == "Rex")
        }
        #expect(server.requests.compactMap { $0.header("Transfer-Encoding") }.count == 2)
    }

    /// Nothing reads the rest, so the sequence must end.
    @Test(arguments: [true, false])
    func refusedUploadEndsItsSequence(waits: Bool) async throws {
        let (ends, end) = AsyncStream.makeStream(of: Never.self)
        let (chunks, next) = AsyncStream.makeStream(of: Data.self)
        next.onTermination = { _ in end.finish() }
        let endless = AsyncStream<Data>(
            unfolding: { Data(count: 1 << 16) }, onCancel: { end.finish() })
        try await LoopbackServer.run(serve: { try $0.refuseUpload() }) { server in
            next.yield(Data("Rex".utf8))
            let request = try server.request("/photos", method: "POST")
            let error = await #expect(throws: APIError.self) {
                try await upload(waits ? .stream(chunks) : .stream(endless), with: request)
            }
            #expect(error?.kind == .status(413))
            if waits { for await _ in ends {} }
        }
    }

    @Test func sequenceWaitsForASlowServer() async throws {
        let count = Locked(0)
        let endless = AsyncStream<Data>(unfolding: {
            count.withLock { $0 += 1 }
            return Data(count: 1 << 20)
        })
        let isOver = DispatchSemaphore(value: 0)
        try await LoopbackServer.run(serve: { connection in
            _ = try connection.head()
            isOver.wait()
        }) { server in
            defer { isOver.signal() }
            var request = try server.request("/photos", method: "POST")
            // A busy machine needs some of it before it reads the first chunk.
            request.timeoutInterval = 5

            let error = await #expect(throws: APIError.self) {
                try await upload(.stream(endless), with: request)
            }

            #expect(error?.urlError?.code == .timedOut)
            // The buffers of a loopback connection hold a few megabytes.
            #expect((1..<64).contains(count.withLock { $0 }))
        }
    }

    @Test(arguments: [1, 5])
    func bodyOfAnotherLengthFailsTheCall(length: Int) async throws {
        server.on(.post("/photos"), times: .anyNumber) { _ in .text("done") }
        try await server.listening { url in
            let error = await #expect(throws: APIError.self) {
                try await upload(.stream(AsyncStream.of("Rex"), length: length), with: url.photos)
            }
            let text = length == 1 ? "more than the 1" : "only 3 of the 5"
            #expect(error?.kind == .invalidRequest("its body has \(text) bytes of its length"))
        }
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [307, 401, 503])
    func bodyThatCanBeReadOnceIsSentOnce(status: Int) async throws {
        server.on(.post("/photos"), reply: .status(status).header("Location", "/elsewhere"))
        let tokens = BearerAuthentication(
            hosts: ["127.0.0.1"], expiring: { ("t1", .seconds(3_600)) })
        try await server.listening { url in
            let error = await #expect(throws: APIError.self) {
                try await upload(
                    .stream(AsyncStream.of("Rex")), with: url.photos, Retry(baseDelay: .zero),
                    IdempotencyKey(), tokens)
            }
            #expect(error?.statusCode == status)
        }
        #expect(server.requests.count == 1)
    }
}

extension AsyncStream<Data> {
    /// A sequence of one text.
    fileprivate static func of(_ text: String) -> AsyncStream {
        AsyncStream { continuation in
            continuation.yield(Data(text.utf8))
            continuation.finish()
        }
    }
}

extension URL {
    fileprivate var photos: URLRequest {
        var request = URLRequest(url: appending(path: "photos"))
        request.httpMethod = "POST"
        return request
    }
}
