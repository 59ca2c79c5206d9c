import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct ETagCacheTests {
    let server = MockServer.current
    let cache = ETagCache()
    private static let date = "Tue, 01 Sep 2026 10:00:00 GMT"

    @Test func storedResponseIsRevalidated() async throws {
        server.on(.get("/v1/echo"), reply: .tagged("a").header("Last-Modified", Self.date))

        for _ in 0..<2 { #expect(try await client.load(EchoRequest()) == "a") }

        let requests = server.requests
        #expect(requests.map { $0.header("If-None-Match") } == [nil, "\"1\""])
        #expect(requests.map { $0.header("If-Modified-Since") } == [nil, Self.date])
    }

    @Test func responseWithoutTagIsRevalidatedByDate() async throws {
        server.on(.get("/v1/echo"), reply: .resource(.text("a").header("Last-Modified", Self.date)))

        _ = try await client.load(EchoRequest())
        #expect(try await client.load(EchoRequest()) == "a")

        #expect(server.requests.last?.headers == ["If-Modified-Since": Self.date])
    }

    @Test func notModifiedUpdatesStoredHeaders() async throws {
        server.on(
            .get("/v1/echo"),
            reply: .text("kept").header("ETag", "\"1\"").header("X-Age", "1").header("X-Old", "1"),
            .text("", status: 304, contentType: "text/html")
                .header("ETag", "W/\"1\"").header("x-age", "2").header("Content-Length", "0")
                .header("Transfer-Encoding", "chunked"),
            .status(304))

        _ = try await client.load(EchoRequest())
        let first = try await client.response(to: EchoRequest())
        let second = try await client.response(to: EchoRequest())

        for headers in [first.http.allHeaderFields, second.http.allHeaderFields] {
            #expect(
                headers as? [String: String] == [
                    "Content-Type": "text/plain; charset=utf-8", "Content-Length": "4",
                    "Etag": "W/\"1\"", "x-age": "2", "X-Old": "1",
                ])
        }
        #expect(server.requests.last?.header("If-None-Match") == "W/\"1\"")
    }

    @Test(
        arguments: [
            (.text("b").header("ETag", "\"2\""), .status(304), ["a", "b", "b"], "\"2\""),
            (.text("b"), .text("c"), ["a", "b", "c"], nil),
            (
                .status(304).header("Cache-Control", "no-store"), .text("c"), ["a", "a", "c"], nil
            ),
        ] as [(MockResponse, MockResponse, [String], String?)])
    func laterResponseReplacesOrRemovesStoredOne(
        second: MockResponse, third: MockResponse, texts: [String], tag: String?
    ) async throws {
        server.on(.get("/v1/echo"), reply: .tagged("a"), second, third)

        for text in texts { #expect(try await client.load(EchoRequest()) == text) }

        #expect(server.requests.map { $0.header("If-None-Match") } == [nil, "\"1\"", tag])
    }

    @Test(arguments: [
        (["ETag": "\"1\""], ["ETag": "\"2\""]),
        (["ETag": "\"1\"", "Last-Modified": date], ["ETag": "\"2\"", "Last-Modified": date]),
        (["Last-Modified": date], ["Last-Modified": "Wed, 02 Sep 2026 10:00:00 GMT"]),
    ])
    func notModifiedWithAnotherValidatorRepeatsTheRequest(
        kept: [String: String], received: [String: String]
    ) async throws {
        let first = kept.reduce(MockResponse.text("a")) { $0.header($1.key, $1.value) }
        let second = received.reduce(MockResponse.status(304)) { $0.header($1.key, $1.value) }
        server.on(.get("/v1/echo"), reply: first, second, .text("b"))

        _ = try await client.load(EchoRequest())

        #expect(try await client.load(EchoRequest()) == "b")
        #expect(server.requests.conditions == [false, true, false])
    }

    @Test func redirectToAnotherResourceIsNotRevalidated() async throws {
        server.on(
            .get("/v1/echo"), reply: .redirect(to: "/a"), .redirect(to: "/b"), .redirect(to: "/b"))
        server.on(.get("/a"), reply: .tagged("a"))
        server.on(.get("/b"), reply: .tagged("b"))

        #expect(try await client.load(EchoRequest()) == "a")
        #expect(try await client.load(EchoRequest()) == "b")
    }

    @Test func requestIsRepeatedOnlyOnce() async throws {
        server.on(
            .get("/v1/echo"), reply: .text("a").header("ETag", "\"1\""),
            .status(304).header("ETag", "\"2\""), .status(304))

        _ = try await client.load(EchoRequest())
        await expectError(.status(304)) { try await client.load(EchoRequest()) }
        #expect(server.requests.count == 3)
    }

    @Test func responseRemovedDuringRevalidationIsReturned() async throws {
        server.on(.get("/v1/echo")) { [cache] request in
            if request.isConditional { cache.removeAll() }
            return .tagged("kept")
        }

        for _ in 0..<3 { #expect(try await client.load(EchoRequest()) == "kept") }

        #expect(server.requests.conditions == [false, true, false])
    }

    @Test func responseRequestedBeforeRemovalIsNotStored() async throws {
        let isFirst = Locked(true)
        server.on(.get("/v1/echo")) { [cache] _ in
            isFirst.withLock { isFirst in
                if isFirst { cache.removeAll() }
                isFirst = false
            }
            return .tagged()
        }

        for _ in 0..<3 { _ = try await client.load(EchoRequest()) }

        // The second response is stored, because nothing was removed after its request.
        #expect(server.requests.conditions == [false, false, true])
    }

    @Test func failureKeepsStoredResponse() async throws {
        server.on(
            .get("/v1/echo"), reply: .text("a").header("ETag", "\"1\""), .failure(.timedOut),
            .status(500), .status(304))

        _ = try await client.load(EchoRequest())
        for _ in 0..<2 {
            await #expect(throws: APIError.self) { try await client.load(EchoRequest()) }
        }

        #expect(try await client.load(EchoRequest()) == "a")
    }

    @Test func keyIsURLAfterOuterInterceptors() async throws {
        server.on(.get("/v2/echo"), reply: .tagged("kept"))
        let rename = RequestAdapter { $0.url = try .make("https://api.example.com/v2/echo") }
        let client = APIClient.make(server, rename, cache)

        _ = try await client.load(EchoRequest { try URLRequest(.get, "a") })
        let text = try await client.load(EchoRequest { try URLRequest(.get, "b") })

        #expect(text == "kept")
        #expect(server.requests.conditions == [false, true])
    }

    @Test func revalidationBypassesURLCache() async throws {
        let policies = Locked<[URLRequest.CachePolicy]>([])
        let client = APIClient.make(
            server, cache, RequestAdapter { request in policies.append(request.cachePolicy) })
        server.on(.get("/v1/echo"), reply: .tagged())

        for _ in 0..<2 { _ = try await client.load(EchoRequest()) }
        _ = try await client.load(
            EchoRequest {
                var request = try URLRequest(.get, "echo")
                request.cachePolicy = .returnCacheDataDontLoad
                return request
            })

        #expect(
            policies.current == [
                .useProtocolCachePolicy, .reloadIgnoringLocalCacheData, .returnCacheDataDontLoad,
            ])
    }

    private var client: APIClient { .make(server, cache) }
}
