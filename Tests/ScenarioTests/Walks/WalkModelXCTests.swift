import APIKit
import APIKitTesting
import Foundation
import XCTest

final class WalkModelXCTests: XCTestCase {
    lazy var server = mockServer()

    @MainActor func testModelShowsTheWalk() async {
        server.on(.get("/v1/walks/7"), reply: .json(["id": 7, "dog": "Rex"]))
        let model = makeModel()

        await model.load()

        XCTAssertEqual(model.walk, Walk(id: 7, dog: "Rex"))
        XCTAssertNil(model.message)
    }

    @MainActor func testModelShowsThatAPhotoIsSent() async {
        server.on(.post("/v1/walks/7/photos"), reply: .status(201))
        let model = makeModel()

        await model.send(photo: Data(count: 300_000))

        XCTAssertEqual(model.sentFraction, 1)
        XCTAssertNil(model.message)
    }

    @MainActor func testModelShowsPositionsUntilTheServerEndsThem() async throws {
        server.on(
            .get("/v1/walks/7/positions"),
            reply: .events([ServerSentEvent(data: #"{"latitude": 48.2, "longitude": 16.4}"#)]))
        let model = makeModel()

        model.appear()
        await model.following?.value

        XCTAssertEqual(model.positions, [Position(latitude: 48.2, longitude: 16.4)])
        XCTAssertNil(model.following)
    }

    @MainActor private func makeModel() -> WalkModel {
        let url = URL(string: "https://walks.example/v1")
        return WalkModel(client: APIClient(baseURL: url, transport: server.session), id: 7)
    }
}
