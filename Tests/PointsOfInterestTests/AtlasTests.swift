import APIKit
import Foundation
import Testing

@testable import PointsOfInterest

@Suite struct AtlasTests {
    private static let opera = PointOfInterest("Opera", latitude: -33.8568, longitude: 151.2153)
    private static let bridge = PointOfInterest("Bridge", latitude: -33.8523, longitude: 151.2108)
    private static let zoo = PointOfInterest("Zoo", latitude: -33.8433, longitude: 151.2411)

    private let atlas = Atlas(places: [zoo, opera, bridge, PointOfInterest("Unknown")])

    private func response(
        to target: String, method: HTTPMethod = .get
    ) async throws -> (status: Int, head: HTTPURLResponse, body: Data) {
        let url = try #require(URL(string: "https://atlas.example\(target)"))
        var request = URLRequest(url: url)
        request.httpMethod = method.rawValue
        let (body, urlResponse) = try await atlas.send(request)
        let head = try #require(urlResponse as? HTTPURLResponse)
        return (head.statusCode, head, body)
    }

    @Test(arguments: [
        ("/locations?lat=-33.8568&long=151.2153", [opera, bridge]),
        ("/locations?lat=-33.8568&long=151.2153&radius=3000", [opera, bridge, zoo]),
        ("/locations?lat=-33.8433&long=151.2411&radius=20000&limit=2", [zoo, opera]),
        ("/locations?lat=-33.8568&long=151.2153&radius=1", [opera]),
        ("/locations?lat=0&long=0", []),
        ("/locations?lat=0&long=0&radius=\(Int.max)&limit=\(Int.max)", [opera, bridge, zoo]),
    ])
    func returnsThePlacesWithinTheRadiusNearestFirst(
        target: String,
        places: [PointOfInterest]
    ) async throws {
        let response = try await response(to: target)

        #expect(response.status == 200)
        #expect(response.head.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(try PointsOfInterestRequest().parseResponse(data: response.body) == places)
    }

    @Test(arguments: [
        ("/locations", "lat is missing"),
        ("/locations?lat=1", "long is missing"),
        ("/locations?lat=north&long=1", "lat is not a number: \"north\""),
        ("/locations?lat=91&long=1", "91.0,1.0 is not a valid coordinate"),
        ("/locations?lat=1&long=1&radius=0", "radius is not a positive whole number"),
        ("/locations?lat=1&long=1&limit=many", "limit is not a positive whole number"),
    ])
    func invalidQueryIsRefused(target: String, reason: String) async throws {
        let response = try await response(to: target)

        #expect(response.status == 400)
        #expect(try JSONDecoder().decode(Refusal.self, from: response.body).error == reason)
    }

    @Test(arguments: ["", "/", "/location", "/locations/1"])
    func otherPathReturns404(target: String) async throws {
        #expect(try await response(to: target).status == 404)
    }

    @Test(arguments: [HTTPMethod.post, .put, .patch, .delete])
    func otherMethodReturns405(method: HTTPMethod) async throws {
        let response = try await response(to: "/locations?lat=0&long=0", method: method)

        #expect(response.status == 405)
        #expect(response.head.value(forHTTPHeaderField: "Allow") == "GET")
    }
}
