import APIKit
import APIKitTesting
import AsyncHTTPClientTransport
import FlyingFox
import FlyingSocks
import Foundation
import InMemoryLogging
import InMemoryTracing
import Logging
import Testing
import Tracing

/// The service of the page *In a server*: each test is a client of its port, and has an upstream on another.
@Suite(.mockServer, .timeLimit(.minutes(2))) struct GatewayTests {
    private let upstream = MockServer.current
    private let tracer = InMemoryTracer()
    private let log = InMemoryLogHandler()
    private let transport = HTTPClientTransport()

    /// Runs the gateway until the closure returns, which receives its URL.
    private func run(
        limit: ConcurrencyLimit = ConcurrencyLimit(64, waiting: 64),
        while body: (APIClient) async throws -> Void
    ) async throws {
        upstream.on(.post("/token"), times: .anyNumber) { _ in
            .data(Data(#"{"token": "t1", "lifetime": 3600}"#.utf8), contentType: "application/json")
        }
        try await upstream.listening { url in
            let gateway = Gateway(
                upstream: url, transport: transport, tracer: tracer,
                logger: Logger(label: "gateway") { [log] _ in log }, limit: limit)
            let server = HTTPServer(
                address: try .inet(ip4: "127.0.0.1", port: 0), logger: .disabled)
            await server.appendRoute("*") { try await gateway.respond(to: $0) }
            let running = Task { try await server.run() }
            try await server.waitUntilListening()
            guard case .ip4(_, let port) = await server.listeningAddress else {
                throw URLError(.badURL)
            }
            let result: Result<Void, any Error>
            do {
                let client = APIClient(
                    baseURL: URL(string: "http://127.0.0.1:\(port)"), transport: transport)
                result = .success(try await body(client))
            } catch {
                result = .failure(error)
            }
            await server.stop()
            running.cancel()
            try result.get()
        }
    }

    /// The requests for dogs that the upstream has received.
    private var dogRequests: [RecordedRequest] { upstream.requests.filter { $0.method == .get } }

    @Test func callsShareOneToken() async throws {
        upstream.on(
            .get("/dogs").header("Authorization", "Bearer t1"), reply: .text("Rex"), times: 3)
        try await run { client in
            for _ in 1...3 {
                let dog = try await client.load(DogsRequest(), with: "akita")
                #expect(dog == "Rex")
            }
        }
        #expect(upstream.requests.count == 4)
    }

    @Test func deadlineOfTheIncomingRequestIsPassedOn() async throws {
        upstream.on(.get("/dogs"), reply: .text("Rex"), times: 2)
        try await run { client in
            var client = client
            for milliseconds in [60_000, Int.max] {
                client.headers[TimeoutField.name] = "\(milliseconds)"
                _ = try await client.load(DogsRequest(), with: "akita")
            }
            for milliseconds in [0, Int.min] {
                client.headers[TimeoutField.name] = "\(milliseconds)"
                let error = await #expect(throws: APIError.self) {
                    try await client.load(DogsRequest(), with: "akita")
                }
                #expect(error?.kind == .status(504))
            }
        }
        let left = dogRequests.compactMap { $0.header(TimeoutField.name).flatMap(Int.init) }
        #expect(left.count == 2)
        #expect(left.first.map { (1...60_000).contains($0) } == true)
        #expect(left.last == 86_400_000)
    }

    @Test func idOfTheIncomingRequestIsSentAndLogged() async throws {
        upstream.on(.get("/dogs").header("X-Request-ID", "r1"), reply: .text("Rex"))
        try await run { client in
            var client = client
            client.headers["X-Request-ID"] = "r1"
            _ = try await client.load(DogsRequest(), with: "akita")
        }
        #expect(log.entries.map { $0.metadata["request-id"] } == ["r1"])
    }

    @Test func callHasASpan() async throws {
        upstream.on(.get("/dogs"), reply: .text("Rex"))
        try await run { _ = try await $0.load(DogsRequest(), with: "akita") }

        let span = tracer.finishedSpans.first { $0.operationName == "DogsRequest" }
        #expect(span?.attributes.get("http.response.status_code") == .int64(200))
    }

    @Test func fullBulkheadIs503() async throws {
        upstream.on(.get("/dogs"), reply: .never)
        try await run(limit: ConcurrencyLimit(1, waiting: 0)) { client in
            let first = Task { try await client.load(DogsRequest(), with: "akita") }
            while try await upstream.nextRequest().method != .get {}

            let error = await #expect(throws: APIError.self) {
                try await client.load(DogsRequest(), with: "boxer")
            }

            #expect(error?.kind == .status(503))
            #expect(error?.response?.value(forHTTPHeaderField: "Retry-After") == "1")
            #expect(dogRequests.count == 1)
            first.cancel()
        }
    }

    @Test func failuresOfTheUpstreamHaveTheirStatus() async throws {
        upstream.on(.get("/dogs").query("breed", "akita"), reply: .status(404))
        upstream.on(.get("/dogs").query("breed", "boxer"), times: .anyNumber) { _ in
            .status(503).header("Retry-After", "90")
        }
        try await run { client in
            for (breed, code) in [("akita", 502), ("boxer", 503)] {
                let error = await #expect(throws: APIError.self) {
                    try await client.load(DogsRequest(), with: breed)
                }
                #expect(error?.kind == .status(code))
                let field = error?.response?.value(forHTTPHeaderField: "Retry-After")
                #expect(field == (code == 503 ? "90" : nil))
            }
        }
    }

    @Test func retriesEndWithTheirBudget() async throws {
        upstream.on(.get("/dogs"), times: .anyNumber) { _ in
            .status(500).header("Retry-After", "0")
        }
        try await run { client in
            for _ in 1...10 { _ = try? await client.load(DogsRequest(), with: "akita") }
        }
        // The ten calls, and the ten saved retries. They have earned only nine tenths of another.
        #expect(dogRequests.count == 20)
    }

    @Test func eventsPassThrough() async throws {
        let events = [
            ServerSentEvent(data: "one\ntwo", type: "note", id: "1", retry: .milliseconds(5)),
            ServerSentEvent(data: "", id: "2"),
        ]
        upstream.on(.get("/dogs"), reply: .events(events))
        try await run { client in
            let response = try await client.stream(EventsRequest())
            var received: [ServerSentEvent] = []
            for try await event in response.value.events { received.append(event) }

            #expect(received == events)
        }
    }

    @Test(arguments: [nil, 600_000])
    func bodyPassesThrough(length: Int?) async throws {
        let photo = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 % 251) })
        let route = upstream.on(.post("/photos"), reply: .text("p1"))
        let chunks = AsyncStream { continuation in
            for start in stride(from: 0, to: photo.count, by: 100_000) {
                continuation.yield(photo[start..<start + 100_000])
            }
            continuation.finish()
        }
        try await run { client in
            let id = try await client.upload(AddPhoto(), from: .stream(chunks, length: length))
            #expect(id == "p1")
        }
        #expect(route.requests.map(\.body) == [photo])
        #expect(route.requests.first?.header("Content-Length") == length.map(String.init))
    }

    /// The upstream never ends, so the request ends only if the gateway drops it.
    @Test func clientThatLeavesEndsTheUpstreamRequest() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Never.self)
        upstream.on(.get("/dogs")) { _ in
            let text = ServerSentEvent(data: String(repeating: "x", count: 1 << 16)).encoded
            let chunks = AsyncStream<Data>(
                unfolding: { Data(text.utf8) }, onCancel: { end.finish() })
            return .stream(Ending(base: chunks) { end.finish() }, contentType: "text/event-stream")
        }
        try await run { client in
            let response = try await client.stream(EventsRequest())
            var count = 0
            for try await _ in response.value.events {
                count += 1
                if count == 3 { break }
            }
            for await _ in ends {}
        }
    }
}

private struct EventsRequest: APIRequest {
    typealias ResponseDataType = String

    func makeRequest(from: Void) throws -> URLRequest { try URLRequest(.get, "events") }
}

/// A sequence that reports when its iterator is released.
private struct Ending<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable {
    let base: Base
    let onEnd: @Sendable () -> Void

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: base.makeAsyncIterator(), release: Release(onEnd))
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        let release: Release

        mutating func next() async throws -> Base.Element? { try await base.next() }
    }

    final class Release: Sendable {
        private let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }

        deinit { run() }
    }
}
