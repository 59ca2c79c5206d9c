import APIKit
import APIKitTesting
import Foundation
import Testing

@MainActor @Suite(.mockServer) struct WalkModelTests {
    let server = MockServer.current
    let park = Position(latitude: 48.2, longitude: 16.4)

    private var model: WalkModel {
        let url = URL(string: "https://walks.example/v1")
        return WalkModel(client: APIClient(baseURL: url, transport: server.session), id: 7)
    }

    @Test func modelShowsTheWalk() async {
        server.on(.get("/v1/walks/7"), reply: .json(["id": 7, "dog": "Rex"]))
        let model = model

        await model.load()

        #expect(model.walk == Walk(id: 7, dog: "Rex"))
        #expect(model.message == nil)
    }

    @Test func modelShowsTheFailureOfALoad() async {
        server.on(.get("/v1/walks/7"), reply: .failure(.notConnectedToInternet))
        let model = model

        await model.load()

        #expect(model.walk == nil)
        #expect(model.message != nil)
    }

    @Test func modelShowsEachStepOfAnUpload() async {
        server.on(.post("/v1/walks/7/photos"), reply: .status(201))
        let model = model
        var fractions: [Double] = []
        model.onChange = { fractions.append(model.sentFraction) }

        await model.send(photo: Data(count: 300_000))

        #expect(fractions == fractions.sorted())
        #expect(model.sentFraction == 1)
        #expect(model.message == nil)
    }

    @Test func modelShowsPositionsUntilTheUserLeaves() async throws {
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        server.on(
            .get("/v1/walks/7/positions"), reply: .stream(chunks, contentType: "text/event-stream"))
        let model = model
        let (changes, changed) = AsyncStream.makeStream(of: Int.self)
        model.onChange = { changed.yield(model.positions.count) }

        model.appear()
        let following = try #require(model.following)
        for shown in 1...2 {
            continuation.yield(try event(park))
            for await count in changes where count == shown { break }
        }
        model.leave()
        await following.value

        #expect(model.positions == [park, park])
        #expect(model.following == nil)
        #expect(model.message == nil)
    }

    private func event(_ position: Position) throws -> Data {
        try Data("data: ".utf8) + JSONEncoder().encode(position) + Data("\n\n".utf8)
    }
}
