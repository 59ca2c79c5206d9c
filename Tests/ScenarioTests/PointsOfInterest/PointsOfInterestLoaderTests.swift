import APIKit
import APIKitTesting
import Foundation
import XCTest

/// Tests of the loader over a session that loads through `MockURLProtocol`.
///
/// All sessions of a process share one `requestHandler`. XCTest runs the tests of a process one
/// after another, so one handler is enough. Swift Testing runs tests in parallel: use `MockServer`
/// there.
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

    func testLoaderLoadsThePoints() {
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

    func testLoaderReportsATransportFailure() {
        MockURLProtocol.requestHandler = { _ in throw URLError(.notConnectedToInternet) }

        let failed = expectation(description: "failed")
        loader.loadAPIRequest(requestData: Coordinate(latitude: 0, longitude: 0)) { points, error in
            XCTAssertNil(points)
            XCTAssertEqual((error as? APIError)?.kind, .transport)
            failed.fulfill()
        }

        wait(for: [failed], timeout: 60)
    }

    func testLoaderSendsNoRequestForAnInvalidCoordinate() {
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
