import APIKit
import APIKitTesting
import Foundation
import Testing

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

    @Test func exitFromLoopStopsLoading() async throws {
        server.on(.get("/v1/dogs"), reply: .text("a"), .text("b"))

        for try await page in client.pages(of: ListRequest(), from: 1) where page == "b" { break }

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
