import APIKit
import APIKitTesting
import Foundation
import XCTest

/// The request with its loader, in the classic form.
///
/// There is one handler for the whole process. XCTest runs one test after the other, as that needs;
/// in Swift Testing, where tests run at the same time, use `MockServer`.
final class PointsOfInterestLoaderTests: XCTestCase {
    private var loader: APIRequestLoader<PointsOfInterestRequest>!

    override func setUp() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        loader = APIRequestLoader(
            apiRequest: PointsOfInterestRequest(),
            urlSession: URLSession(configuration: configuration))
    }

    override func tearDown() {
        MockURLProtocol.requestHandler = nil
    }

    func testLoadsThePoints() {
        MockURLProtocol.requestHandler = { request in
            XCTAssertEqual(request.url?.query?.contains("lat=37.3293"), true)
            return (HTTPURLResponse(), Data(#"[{"name": "Fountain"}]"#.utf8))
        }

        let loaded = expectation(description: "loaded")
        let sanJose = Coordinate(latitude: 37.3293, longitude: -121.8893)
        loader.loadAPIRequest(requestData: sanJose) { points, error in
            XCTAssertEqual(points, [PointOfInterest(name: "Fountain")])
            XCTAssertNil(error)
            loaded.fulfill()
        }

        wait(for: [loaded], timeout: 60)
    }

    func testSaysThatTheServerCannotBeReached() {
        MockURLProtocol.requestHandler = { _ in throw URLError(.notConnectedToInternet) }

        let failed = expectation(description: "failed")
        loader.loadAPIRequest(requestData: Coordinate(latitude: 0, longitude: 0)) { points, error in
            XCTAssertNil(points)
            XCTAssertEqual((error as? APIError)?.kind, .transport)
            failed.fulfill()
        }

        wait(for: [failed], timeout: 60)
    }

    func testSendsNothingForACoordinateThatIsNowhere() {
        MockURLProtocol.requestHandler = { request in
            XCTFail("\(request) was sent.")
            return (HTTPURLResponse(), Data())
        }

        let failed = expectation(description: "failed")
        loader.loadAPIRequest(requestData: Coordinate(latitude: 91, longitude: 0)) { _, error in
            XCTAssertEqual(error as? RequestError, .invalidCoordinate)
            failed.fulfill()
        }

        wait(for: [failed], timeout: 60)
    }
}
