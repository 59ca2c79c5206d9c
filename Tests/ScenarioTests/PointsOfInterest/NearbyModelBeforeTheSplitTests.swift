import APIKit
import APIKitTesting
import Foundation
import XCTest

/// What can be tested before the split: the whole way, by whatever the screen shows in the end.
final class NearbyModelBeforeTheSplitTests: XCTestCase {
    override func tearDown() {
        MockURLProtocol.requestHandler = nil
    }

    @MainActor func testShowsThePoints() async {
        MockURLProtocol.requestHandler = { _ in
            (HTTPURLResponse(), Data(#"[{"name": "Fountain"}]"#.utf8))
        }

        let model = await loadedModel(near: Coordinate(latitude: 37.3293, longitude: -121.8893))

        XCTAssertEqual(model.points, [PointOfInterest(name: "Fountain")])
        XCTAssertNil(model.message)
    }

    /// Only a split makes room for a check of the status: this is how it goes unnoticed.
    @MainActor func testMistakesARefusalForAnAnswer() async {
        MockURLProtocol.requestHandler = { request in
            let url = try XCTUnwrap(request.url)
            let head = HTTPURLResponse(
                url: url, statusCode: 503, httpVersion: nil, headerFields: nil)
            return (try XCTUnwrap(head), Data("Come back later.".utf8))
        }

        let model = await loadedModel(near: Coordinate(latitude: 37.3293, longitude: -121.8893))

        XCTAssertEqual(model.message, "The answer makes no sense.")
    }

    /// Nor is there a place to look at the request before it is sent.
    @MainActor func testAsksForPlacesThatAreNowhere() async {
        MockURLProtocol.requestHandler = { request in
            let query = try XCTUnwrap(request.url?.query)
            return (HTTPURLResponse(), Data(#"[{"name": "\#(query)"}]"#.utf8))
        }

        let model = await loadedModel(near: Coordinate(latitude: 91, longitude: 0))

        XCTAssertEqual(model.points, [PointOfInterest(name: "lat=91.0&long=0.0")])
    }

    @MainActor private func loadedModel(
        near coordinate: Coordinate
    ) async -> NearbyModelBeforeTheSplit {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        let model = NearbyModelBeforeTheSplit(session: URLSession(configuration: configuration))
        await withCheckedContinuation { continuation in
            model.onChange = { continuation.resume() }
            model.loadPoints(near: coordinate)
        }
        return model
    }
}
