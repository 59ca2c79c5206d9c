import XCTest

/// Tests before the split: they call the whole method, and run a server for each response.
final class NearbyModelBeforeTheSplitTests: XCTestCase {
    private let sanJose = Coordinate(latitude: 37.3293, longitude: -121.8893)

    @MainActor func testModelShowsThePoints() async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(200, body: #"[{"name": "Fountain"}]"#)
        }

        let model = await model(of: server, loadedNear: sanJose)

        XCTAssertEqual(server.requests.map(\.path), ["/locations?lat=37.3293&long=-121.8893"])
        XCTAssertEqual(model.points, [PointOfInterest(name: "Fountain")])
        XCTAssertNil(model.message)
    }

    @MainActor func testModelReportsABodyThatDoesNotDecode() async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(200, body: "[{}]") }

        let model = await model(of: server, loadedNear: sanJose)

        XCTAssertEqual(model.message, "The response cannot be read.")
    }

    @MainActor func testModelReportsALostConnection() async throws {
        let server = try LoopbackServer { _ in "" }

        let model = await model(of: server, loadedNear: sanJose)

        XCTAssertEqual(model.message, "The server cannot be reached.")
    }

    @MainActor func testModelReportsAnAddressThatIsNotAURL() async {
        let model = NearbyModelBeforeTheSplit(server: "http://[")

        await load(model, near: sanJose)

        XCTAssertEqual(model.message, "The address is not a URL.")
    }

    /// A mistake in the method: it decodes the body of a refusal, because it ignores the status.
    @MainActor func testModelDecodesTheBodyOfARefusal() async throws {
        let server = try LoopbackServer { _ in
            LoopbackServer.response(503, body: "Come back later.")
        }

        let model = await model(of: server, loadedNear: sanJose)

        XCTAssertEqual(model.message, "The response cannot be read.")
    }

    /// Another mistake: it sends an invalid coordinate.
    @MainActor func testModelSendsAnInvalidCoordinate() async throws {
        let server = try LoopbackServer { _ in LoopbackServer.response(200, body: "[]") }

        _ = await model(of: server, loadedNear: Coordinate(latitude: 91, longitude: 0))

        XCTAssertEqual(server.requests.map(\.path), ["/locations?lat=91.0&long=0.0"])
    }

    @MainActor private func model(
        of server: LoopbackServer, loadedNear coordinate: Coordinate
    ) async -> NearbyModelBeforeTheSplit {
        let model = NearbyModelBeforeTheSplit(server: "http://127.0.0.1:\(server.port)")
        await load(model, near: coordinate)
        return model
    }

    /// Loads points, and waits until the model calls `onChange`.
    @MainActor private func load(
        _ model: NearbyModelBeforeTheSplit, near coordinate: Coordinate
    ) async {
        let changed = expectation(description: "The model calls onChange.")
        model.onChange = { changed.fulfill() }
        model.loadPoints(near: coordinate)
        await fulfillment(of: [changed], timeout: 60)
    }
}
