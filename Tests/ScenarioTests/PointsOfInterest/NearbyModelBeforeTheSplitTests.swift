import APIKit
import APIKitTesting
import XCTest

/// Tests before the split: they call the whole method, and need a server on a port.
final class NearbyModelBeforeTheSplitTests: XCTestCase {
    private lazy var server = mockServer()
    private let sanJose = Coordinate(latitude: 37.3293, longitude: -121.8893)

    @MainActor func testModelShowsThePoints() async throws {
        server.on(
            .get("/locations").query(exactly: ["lat": "37.3293", "long": "-121.8893"]),
            reply: .json(text: #"[{"name": "Fountain"}]"#))

        let model = try await model(loadedNear: sanJose)

        XCTAssertEqual(model.points, [PointOfInterest(name: "Fountain")])
        XCTAssertNil(model.message)
    }

    @MainActor func testModelReportsABodyThatDoesNotDecode() async throws {
        server.on(.any, reply: .json(text: "[{}]"))

        let model = try await model(loadedNear: sanJose)

        XCTAssertEqual(model.message, "The response cannot be read.")
    }

    @MainActor func testModelReportsALostConnection() async throws {
        server.on(.any, reply: .failure(.networkConnectionLost))

        let model = try await model(loadedNear: sanJose)

        XCTAssertEqual(model.message, "The server cannot be reached.")
    }

    @MainActor func testModelReportsAnAddressThatIsNotAURL() async {
        let model = NearbyModelBeforeTheSplit(server: "http://[")

        await load(model, near: sanJose)

        XCTAssertEqual(model.message, "The address is not a URL.")
    }

    /// A mistake in the method: it decodes the body of an error response, because it ignores the status.
    @MainActor func testModelDecodesTheBodyOfAnErrorResponse() async throws {
        server.on(.any, reply: .text("Come back later.", status: 503))

        let model = try await model(loadedNear: sanJose)

        XCTAssertEqual(model.message, "The response cannot be read.")
    }

    /// Another mistake: it sends an invalid coordinate.
    @MainActor func testModelSendsAnInvalidCoordinate() async throws {
        server.on(
            .get("/locations").query(exactly: ["lat": "91.0", "long": "0.0"]),
            reply: .json(text: "[]"))

        _ = try await model(loadedNear: Coordinate(latitude: 91, longitude: 0))
    }

    @MainActor private func model(
        loadedNear coordinate: Coordinate
    ) async throws -> NearbyModelBeforeTheSplit {
        let port = try await server.listen()
        let model = NearbyModelBeforeTheSplit(server: port.url.absoluteString)
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
