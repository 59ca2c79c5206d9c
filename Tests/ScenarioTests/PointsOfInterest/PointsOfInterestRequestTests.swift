import APIKit
import Foundation
import Testing

/// A request is two functions: no session, no double, no waiting.
@Suite struct PointsOfInterestRequestTests {
    let request = PointsOfInterestRequest()

    @Test func asksForThePointsNearACoordinate() throws {
        let sanJose = Coordinate(latitude: 37.3293, longitude: -121.8893)

        let made = try request.makeRequest(from: sanJose)

        #expect(
            made.url?.absoluteString
                == "https://points.example/locations?lat=37.3293&long=-121.8893")
    }

    @Test(arguments: [(91, 0), (-91, 0), (0, 181), (0, -181)])
    func refusesACoordinateThatIsNowhere(latitude: Double, longitude: Double) {
        #expect(throws: RequestError.invalidCoordinate) {
            try request.makeRequest(from: Coordinate(latitude: latitude, longitude: longitude))
        }
    }

    @Test func parsesThePoints() throws {
        let points = try request.parseResponse(data: Data(#"[{"name": "Fountain"}]"#.utf8))

        #expect(points == [PointOfInterest(name: "Fountain")])
    }

    @Test func refusesAPointWithoutAName() {
        #expect(throws: DecodingError.self) {
            try request.parseResponse(data: Data("[{}]".utf8))
        }
    }
}
