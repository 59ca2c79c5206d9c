import APIKit
import APIKitTesting
import Foundation
import Testing

// snippet.suite
@Suite(.mockServer) struct RecipeTests {
    let server = MockServer.current
    let rex = Dog(id: 1, name: "Rex")

    func client(_ interceptors: any APIInterceptor...) -> APIClient {
        APIClient(
            baseURL: URL(string: "https://api.example.com/v1"),
            transport: server.session,
            interceptors: interceptors)
    }
}
// snippet.end

extension RecipeTests {
    // snippet.refresh
    @Test func twentyRefusedCallsShareOneRefresh() async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(
            .get("/v1/dogs").header("Authorization", "Bearer t1"),
            reply: .status(401).delayed(.seconds(1)), times: 20)
        server.on(.post("/v1/token"), reply: .text("t2"), times: .once)
        server.on(
            .get("/v1/dogs").header("Authorization", "Bearer t2"),
            reply: .json([rex]), times: 20)
        var client = APIClient(
            baseURL: URL(string: "https://api.example.com/v1"),
            transport: server.session)
        client.interceptors = [BearerAuthentication(Tokens(client: client))]

        try await withThrowingTaskGroup(of: [Dog].self) { [client] group in
            for _ in 1...20 {
                group.addTask {
                    try await client.load(DogsRequest(), with: "akita")
                }
            }
            await clock.waitForSleepers(20)
            clock.advance(by: .seconds(1))
            try await group.waitForAll()
        }
    }
    // snippet.end

    // snippet.reconnect
    @Test func sourceReconnectsAfterTheLastEvent() async throws {
        let clock = ManualClock()
        let prices = server.on(
            .get("/v1/prices/AAPL"),
            reply: .events([ServerSentEvent(data: "178", id: "7")]),
            .events(["179"]), .status(204))
        let events = client().reconnectingEvents(
            of: PricesRequest(), with: "AAPL", clock: clock)

        async let texts = events.reduce(into: []) { $0.append($1.data) }
        await clock.advanceToNextDeadline()
        await clock.advanceToNextDeadline()

        #expect(try await texts == ["178", "179"])
        #expect(
            prices.requests.map { $0.header("Last-Event-ID") } == [
                nil, "7", "7",
            ])
    }
    // snippet.end

    // snippet.search
    @MainActor @Test func latestSearchWins() async throws {
        server.on(.get("/v1/dogs").query("breed", "ak"), reply: .never)
        server.on(.get("/v1/dogs").query("breed", "akita"), reply: .json([rex]))
        let model = SearchModel(client: client())

        model.find("ak")
        let first = model.search
        _ = try await server.nextRequest()
        model.find("akita")
        try await model.search?.value

        await #expect(throws: CancellationError.self) { try await first?.value }
        #expect(model.dogs == [rex])
    }
    // snippet.end

    @Test func listShowsTheDogsOfTheFixtures() async throws {
        server.serveDogs(of: "akita")

        #expect(try await client().load(DogsRequest(), with: "akita") == [rex])
    }
}

// snippet.module
extension MockResponse {
    /// The dogs of the fixtures.
    public static var dogs: MockResponse {
        .fixture("Fixtures/dogs.json", in: .module)
    }
}

extension MockServer {
    /// Serves the dogs of a breed.
    @discardableResult
    public func serveDogs(
        of breed: String, reply: MockResponse = .dogs,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: Int = #line, column: Int = #column
    ) -> MockRoute {
        on(
            .get("/v1/dogs").query("breed", breed), reply: reply,
            fileID: fileID, filePath: filePath, line: line, column: column)
    }
}
// snippet.end
