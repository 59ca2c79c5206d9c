import APIKit
import Foundation
import Testing

@testable import PointsOfInterest

@Suite struct PointsOfInterestRequestTests {
    private let here = Coordinate(latitude: 37.3293, longitude: -121.8893)

    @Test func requestHasTheCoordinateInItsQuery() throws {
        let request = try PointsOfInterestRequest().makeRequest(from: here)

        #expect(request.httpMethod == "GET")
        #expect(request.url?.path == "/locations")
        #expect(request.url?.query == "lat=37.3293&long=-121.8893")
    }

    @Test func requestHasRadiusAndLimitIfGiven() throws {
        let request = try PointsOfInterestRequest(radius: 500, limit: 3).makeRequest(from: here)

        #expect(request.url?.query == "lat=37.3293&long=-121.8893&radius=500&limit=3")
    }

    @Test(arguments: [
        (90.1, 0), (-90.1, 0), (0, 180.1), (0, -180.1), (.nan, 0), (0, -.infinity),
    ])
    func invalidCoordinateThrows(latitude: Double, longitude: Double) {
        let nowhere = Coordinate(latitude: latitude, longitude: longitude)

        #expect(throws: RequestError.invalidCoordinate) {
            try PointsOfInterestRequest().makeRequest(from: nowhere)
        }
    }

    @Test func pointsMayHaveNoCoordinate() throws {
        let body = Data(
            """
            [{"name": "Ferry Building", "lat": 37.7955, "long": -122.3937},
             {"name": "Somewhere"}, {"name": "Halfway", "lat": 1, "long": null}]
            """.utf8)

        let points = try PointsOfInterestRequest().parseResponse(data: body)

        #expect(
            points == [
                PointOfInterest("Ferry Building", latitude: 37.7955, longitude: -122.3937),
                PointOfInterest("Somewhere"), PointOfInterest("Halfway", latitude: 1),
            ])
        #expect(points.map { $0.coordinate != nil } == [true, false, false])
    }

    @Test(arguments: ["", "{}", "[{}]", #"[{"name": 1}]"#, #"[{"name": "A", "lat": "north"}]"#])
    func bodyOfAnotherShapeThrows(body: String) {
        #expect(throws: DecodingError.self) {
            try PointsOfInterestRequest().parseResponse(data: Data(body.utf8))
        }
    }
}
