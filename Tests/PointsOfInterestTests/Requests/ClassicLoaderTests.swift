import APIKit
import APIKitTesting
import Foundation
import XCTest

@testable import PointsOfInterest

/// The classic form: one request handler for the process, and a completion handler.
///
/// XCTest runs the tests of a process one at a time, as the shared handler requires.
final class ClassicLoaderTests: XCTestCase {
    private var loader: APIRequestLoader<PointsOfInterestRequest>!

    override func setUp() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        let client = APIClient(
            baseURL: URL(string: "https://points.example"),
            transport: URLSession(configuration: configuration))
        loader = APIRequestLoader(apiRequest: PointsOfInterestRequest(), client: client)
    }

    override func tearDown() {
        MockURLProtocol.requestHandler = nil
    }

    func testLoaderSuccess() {
        let inputCoordinate = Coordinate(latitude: 37.3293, longitude: -121.8893)
        let mockJSONData = Data(#"[{"name": "MyPointOfInterest"}]"#.utf8)
        MockURLProtocol.requestHandler = { request in
            XCTAssertEqual(request.url?.query?.contains("lat=37.3293"), true)
            return (HTTPURLResponse(), mockJSONData)
        }

        let expectation = expectation(description: "response")
        loader.loadAPIRequest(requestData: inputCoordinate) { points, error in
            XCTAssertNil(error)
            XCTAssertEqual(points, [PointOfInterest("MyPointOfInterest")])
            expectation.fulfill()
        }

        wait(for: [expectation], timeout: 60)
    }

    func testLoaderFailure() {
        MockURLProtocol.requestHandler = { _ in throw URLError(.notConnectedToInternet) }

        let expectation = expectation(description: "response")
        loader.loadAPIRequest(requestData: Coordinate(latitude: 0, longitude: 0)) { points, error in
            XCTAssertNil(points)
            XCTAssertEqual((error as? APIError)?.urlError?.code, .notConnectedToInternet)
            expectation.fulfill()
        }

        wait(for: [expectation], timeout: 60)
    }

    func testInvalidCoordinateIsNeverSent() {
        MockURLProtocol.requestHandler = { request in
            XCTFail("\(request) was sent.")
            return (HTTPURLResponse(), Data())
        }

        let nowhere = Coordinate(latitude: 91, longitude: 0)
        let expectation = expectation(description: "response")
        loader.loadAPIRequest(requestData: nowhere) { points, error in
            XCTAssertNil(points)
            XCTAssertEqual(error as? RequestError, .invalidCoordinate)
            expectation.fulfill()
        }

        wait(for: [expectation], timeout: 60)
    }
}
