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

    @Test func cursorOfBodyIsFollowed() async throws {
        server.on(
            .get("/v1/dogs").query("after", .absent), reply: .json(Kennel(dogs: [1], next: "b")))
        server.on(.get("/v1/dogs").query("after", "b"), reply: .json(Kennel(dogs: [2], next: "c")))
        server.on(.get("/v1/dogs").query("after", "c"), reply: .json(Kennel(dogs: [3], next: nil)))

        let pages = try await client.pages(of: KennelRequest(), from: nil).elements()

        #expect(pages.flatMap(\.dogs) == [1, 2, 3])
        #expect(server.requests.count == 3)
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

extension PagesTests {
    @Test func errorOfPageEndsIteration() async throws {
        server.on(.get("/v1/dogs"), reply: .text("a"), .text("b"), .text("no", status: 403))
        var iterator = client.pages(of: ListRequest(), from: 1).makeAsyncIterator()

        #expect(try await iterator.next() == "a")
        #expect(try await iterator.next() == "b")
        let error = await #expect(throws: APIError.self) { try await iterator.next() }

        #expect(error?.statusCode == 403)
        #expect(error?.body == Data("no".utf8))
        #expect(try await iterator.next() == nil)
        #expect(server.requests.count == 3)
    }

    @Test func nextInputErrorFollowsItsPage() async throws {
        server.on(.get("/v1/dogs"), reply: .text("a"), times: .once)
        let request = ListRequest(next: { _ in throw Refusal(reason: "no more") })
        var iterator = client.pages(of: request, from: 1).makeAsyncIterator()

        #expect(try await iterator.next() == "a")
        await #expect(throws: Refusal(reason: "no more")) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func makeRequestErrorEndsIteration() async throws {
        let request = ListRequest(make: { _ in throw Refusal(reason: "no list") })
        var iterator = client.pages(of: request, from: 1).makeAsyncIterator()

        await #expect(throws: Refusal(reason: "no list")) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func cancellationDuringPageThrows() async throws {
        server.on(.get("/v1/dogs"), reply: .text("a"), .never)
        let pages = client.pages(of: ListRequest(), from: 1)

        let load = Task { for try await _ in pages {} }
        await until("the second page is requested") { server.requests.count == 2 }
        load.cancel()

        await #expect(throws: CancellationError.self) { try await load.value }
    }

    @Test func cancellationBetweenPagesThrows() async throws {
        let response = APIResponse(value: Data(), http: try .make())
        let client = APIClient.make(interceptors: [StubInterceptor { response }])
        let pages = client.pages(of: ListRequest(), from: 1)
        let count = Locked(0)

        let load = Task {
            for try await _ in pages {
                count.increment()
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }

        await #expect(throws: CancellationError.self) { try await load.value }
        #expect(count.current == 1)
    }
}

// MARK: - Repeated pages

extension PagesTests {
    @Test(arguments: [(1, 1), (3, 1), (3, 2), (3, 3)])
    func repeatedPageIsRefused(page: Int, target: Int) async throws {
        server.on(.get("/v1/dogs"), reply: .text("a"), times: Times(integerLiteral: page))
        let request = ListRequest(last: 9, next: { $0 == page ? target : $0 + 1 })
        var iterator = client.pages(of: request, from: 1).makeAsyncIterator()
        for _ in 1...page { _ = try await iterator.next() }

        let error = await #expect(throws: APIError.self) { try await iterator.next() }

        #expect(
            error?.description == """
                GET https://api.example.com/v1/dogs?page=\(target) cannot be sent: \
                page \(page) asks for page \(target) again, so the list would never end; \
                nextInput(after:from:) has to return an input for another page, or nil after \
                the last.
                """)
        #expect(error?.request?.url == server.requests[target - 1].url)
        #expect(try await iterator.next() == nil)
        #expect(server.requests.count == page)
    }

    @Test(
        arguments: [
            { _ in try URLRequest(.post, "dogs", body: .json(["after": "x"])) },
            {
                let body =
                    $0 == 1 ? #"{"a":1,"b":[{"c":2,"d":3}]}"# : #"{"b":[{"d":3,"c":2}],"a":1}"#
                return try URLRequest(.post, "dogs", body: .data(Data(body.utf8)))
            },
            { try URLRequest(.get, $0 == 1 ? "dogs" : "https://api.example.com/v1/dogs") },
        ] as [@Sendable (Int) throws -> URLRequest])
    func requestsAreComparedWithAbsoluteURLs(make: @escaping @Sendable (Int) throws -> URLRequest)
        async
    {
        server.on(.any, times: .once)
        let pages = client.pages(of: ListRequest(make: make), from: 1)

        let error = await #expect(throws: APIError.self) { for try await _ in pages {} }

        #expect(error?.request?.url?.absoluteString == "https://api.example.com/v1/dogs")
    }

    @Test(
        arguments: [
            { try URLRequest(.get, "dogs/\($0)") },
            { try URLRequest(HTTPMethod(rawValue: "PAGE\($0)"), "dogs") },
            { try URLRequest(.get, "dogs", headers: ["Range": "dogs=\($0)0-"]) },
            { try URLRequest(.post, "dogs", body: .json(["page": $0])) },
            { page in
                var request = try URLRequest(.post, "dogs")
                request.httpBodyStream = InputStream(data: Data("\(page)".utf8))
                return request
            },
        ] as [@Sendable (Int) throws -> URLRequest])
    func anyPartDistinguishesRequests(make: @escaping @Sendable (Int) throws -> URLRequest)
        async throws
    {
        server.on(.any, times: 3)
        let pages = client.pages(of: ListRequest(make: make), from: 1)

        for try await _ in pages {}
    }
}

extension PagesTests {
    @Test func pagesLoadOnDemand() async throws {
        server.on(.get("/v1/dogs"), reply: .text("a"), .text("b"))

        var iterator = client.pages(of: ListRequest(), from: 1).makeAsyncIterator()

        #expect(server.requests.isEmpty)
        #expect(try await iterator.next() == "a")
        #expect(server.requests.count == 1)
        #expect(try await iterator.next() == "b")
        #expect(server.requests.count == 2)
    }

    @Test func eachIterationStartsAtFirstPage() async throws {
        server.on(.get("/v1/dogs")) { .text($0.url.query ?? "") }
        let pages = client.pages(of: ListRequest(last: 2), from: 1)

        var one = pages.makeAsyncIterator()
        var other = pages.makeAsyncIterator()

        #expect(try await one.next() == "page=1")
        #expect(try await one.next() == "page=2")
        #expect(try await other.next() == "page=1")
        var copy = other
        #expect(try await other.next() == "page=2")
        #expect(try await copy.next() == "page=2")
        #expect(try await one.next() == nil)
        #expect(server.requests.count == 5)
    }

    @Test @MainActor func storedIteratorLoadsSamePageAfterAnError() async throws {
        server.on(.get("/v1/dogs"), reply: .text("a"), .status(403), .text("b"))
        let list = List(client.pages(of: ListRequest(), from: 1))

        try await list.loadMore()
        await #expect(throws: APIError.self) { try await list.loadMore() }
        try await list.loadMore()

        #expect(list.pages == ["a", "b"])
        #expect(server.requests.map(\.url.query) == ["page=1", "page=2", "page=2"])
    }
}

/// A list that grows when its user scrolls to the end.
@MainActor private final class List {
    private(set) var pages: [String] = []
    private var iterator: Pages<ListRequest>.AsyncIterator

    init(_ pages: Pages<ListRequest>) {
        iterator = pages.makeAsyncIterator()
    }

    func loadMore() async throws {
        var iterator = iterator
        if let page = try await iterator.next() { pages.append(page) }
        self.iterator = iterator
    }
}
