import APIKit
import Foundation
import Testing

/// Tests of the request type: two functions that need no session, no mock and no waiting.
@Suite struct PointsOfInterestRequestTests {
    let request = PointsOfInterestRequest()

    @Test func requestHasTheCoordinateInItsQuery() throws {
        let sanJose = Coordinate(latitude: 37.3293, longitude: -121.8893)

        let urlRequest = try request.makeRequest(from: sanJose)

        #expect(
            urlRequest.url?.absoluteString
                == "https://points.example/locations?lat=37.3293&long=-121.8893")
    }

    @Test(arguments: [(91, 0), (-91, 0), (0, 181), (0, -181)])
    func invalidCoordinateThrows(latitude: Double, longitude: Double) {
        #expect(throws: RequestError.invalidCoordinate) {
            try request.makeRequest(from: Coordinate(latitude: latitude, longitude: longitude))
        }
    }

    @Test func responseParsesIntoPoints() throws {
        let points = try request.parseResponse(data: Data(#"[{"name": "Fountain"}]"#.utf8))

        #expect(points == [PointOfInterest(name: "Fountain")])
    }

    @Test func pointWithoutANameDoesNotDecode() {
        #expect(throws: DecodingError.self) {
            try request.parseResponse(data: Data("[{}]".utf8))
        }
    }
}
