import APIKit
import Foundation
import Testing

@testable import PointsOfInterest

@Suite struct AtlasTests {
    private static let opera = PointOfInterest("Opera", latitude: -33.8568, longitude: 151.2153)
    private static let bridge = PointOfInterest("Bridge", latitude: -33.8523, longitude: 151.2108)
    private static let zoo = PointOfInterest("Zoo", latitude: -33.8433, longitude: 151.2411)

    private let client = APIClient(
        baseURL: Atlas.baseURL,
        transport: Atlas(places: [zoo, opera, bridge, PointOfInterest("Unknown")]))

    @Test(arguments: [
        ("-33.8568,151.2153", PointsOfInterestRequest(), [opera, bridge]),
        ("-33.8568,151.2153", PointsOfInterestRequest(radius: 3000), [opera, bridge, zoo]),
        ("-33.8433,151.2411", PointsOfInterestRequest(radius: 20_000, limit: 2), [zoo, opera]),
        ("-33.8568,151.2153", PointsOfInterestRequest(radius: 1), [opera]),
        ("0,0", PointsOfInterestRequest(), []),
        ("0,0", PointsOfInterestRequest(radius: .max, limit: .max), [opera, bridge, zoo]),
    ])
    func placesWithinTheRadiusAreReturnedNearestFirst(
        center: String, request: PointsOfInterestRequest, places: [PointOfInterest]
    ) async throws {
        let center = try #require(Coordinate(center))

        let response = try await client.response(to: request, with: center)

        #expect(response.value == places)
        #expect(response.http.value(forHTTPHeaderField: "Content-Type") == "application/json")
    }

    @Test(arguments: ["/", "/locations?lat=1", "/locations?lat=north&long=1"])
    func requestWithoutACoordinateThrows(target: String) async throws {
        let url = try #require(URL(string: "https://atlas.example\(target)"))

        await #expect(throws: URLError.self) { try await Atlas().send(URLRequest(url: url)) }
    }
}
