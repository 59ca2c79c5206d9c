import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct PagesTests {
    let server = MockServer.current
    var client: APIClient { .make(transport: server) }

    @Test func pagesLoadInOrderUntilLast() async throws {
        server.on(.get("/v1/dogs"), reply: .text("a"), .text(""), .text("c"), times: 3)

        let pages = try await client.pages(of: ListRequest(), from: 1).elements()

        #expect(pages == ["a", "", "c"])
        #expect(server.requests.map(\.url.query) == ["page=1", "page=2", "page=3"])
    }

    @Test func singlePageNeedsOneRequest() async throws {
        server.on(.get("/v1/dogs"), reply: .text("a"), times: .once)

        #expect(try await client.pages(of: ListRequest(last: 1), from: 1).elements() == ["a"])
    }

    @Test func emptyPageCanEndList() async throws {
        server.on(.get("/v1/dogs").query("page", .any), reply: .json([Dog()]), .json([] as [Dog]))

        let pages = try await client.pages(of: DogsRequest(), from: 1).elements()

        #expect(pages == [[Dog()], []])
        #expect(server.requests.map(\.url.query) == ["page=1", "page=2"])
    }

    @Test func cursorOfBodyIsFollowed() async throws {
        server.on(
            .get("/v1/dogs").query("after", .absent), reply: .json(Kennel(dogs: [1], next: "b")))
        server.on(.get("/v1/dogs").query("after", "b"), reply: .json(Kennel(dogs: [2], next: "c")))
        server.on(.get("/v1/dogs").query("after", "c"), reply: .json(Kennel(dogs: [3], next: nil)))

        let pages = try await client.pages(of: KennelRequest(), from: nil).elements()

        #expect(pages.flatMap(\.dogs) == [1, 2, 3])
        #expect(server.requests.count == 3)
    }

    @Test func linkOfHeadIsFollowed() async throws {
        let first = MockResponse.text("a").header("Link", "</v1/dogs?page=2>; rel=\"next\"")
        let last = MockResponse.text("b").header("Link", "<?page=1>; rel=prev")
        server.on(.get("/v1/dogs").query("page", .absent), reply: first)
        server.on(.get("/v1/dogs").query("page", "2"), reply: last)

        let pages = client.pages(of: LinkedRequest(), from: try .make("dogs"))

        #expect(try await pages.elements() == ["a", "b"])
        #expect(server.requests.count == 2)
    }

    @Test func everyPageUsesClient() async throws {
        server.on(.get("/v1/dogs").header("X-App", "1").header("X-Token", "t"), times: 3)
        let events = Locked<[String]>([])
        let client = APIClient.make(
            headers: ["X-App": "1"], transport: server,
            interceptors: [RequestAdapter { $0.setValue("t", forHTTPHeaderField: "X-Token") }],
            observers: { _ in [RecordingObserver(events: events)] })

        _ = try await client.pages(of: ListRequest(), from: 1).elements()

        #expect(events.current.count { $0 == "started" } == 3)
        #expect(events.current.count { $0.hasPrefix("succeeded") } == 3)
    }

    @Test func eachRequestIsMadeOnce() async throws {
        server.on(.get("/v1/dogs"), times: 3)
        let count = Locked(0)
        let request = ListRequest(make: { page in
            count.increment()
            return try URLRequest(.get, "dogs", query: ["page": page])
        })

        _ = try await client.pages(of: request, from: 1).elements()

        #expect(count.current == 3)
    }
}

private struct DogsRequest: PagedAPIRequest {
    typealias ResponseDataType = [Dog]

    func makeRequest(from page: Int) throws -> URLRequest {
        try URLRequest(.get, "dogs", query: ["page": page])
    }

    func nextInput(after response: APIResponse<[Dog]>, from page: Int) -> Int? {
        response.value.isEmpty ? nil : page + 1
    }
}

private struct Kennel: Codable, Sendable {
    var dogs: [Int]
    var next: String?
}

/// A request with an optional cursor, which the first page does not have.
private struct KennelRequest: PagedAPIRequest {
    typealias ResponseDataType = Kennel

    func makeRequest(from cursor: String?) throws -> URLRequest {
        try URLRequest(.get, "dogs", query: ["after": cursor])
    }

    func nextInput(after page: APIResponse<Kennel>, from cursor: String?) -> String?? {
        page.value.next
    }
}

private struct LinkedRequest: PagedAPIRequest {
    typealias ResponseDataType = String

    func makeRequest(from page: URL) throws -> URLRequest { URLRequest(url: page) }

    func nextInput(after page: APIResponse<String>, from url: URL) -> URL? {
        page.http.link(relation: "next")
    }
}
