import APIKit
import APIKitTesting
import Foundation
import Testing

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
        server.on(.get("/v1/dogs"), reply: .text("a"), times: .between(page...page))
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
