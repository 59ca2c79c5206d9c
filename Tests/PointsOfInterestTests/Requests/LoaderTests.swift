import APIKit
import APIKitTesting
import Foundation
import Testing

@testable import PointsOfInterest

@Suite(.mockServer) struct LoaderTests {
    private let server = MockServer.current
    private let here = Coordinate(latitude: 37.3293, longitude: -121.8893)

    private var loader: APIRequestLoader<PointsOfInterestRequest> {
        let client = APIClient(
            baseURL: URL(string: "https://points.example/v1"), transport: server.session)
        return APIRequestLoader(apiRequest: PointsOfInterestRequest(limit: 2), client: client)
    }

    @Test func loadReturnsThePointsNearACoordinate() async throws {
        let plaza = PointOfInterest("Plaza", latitude: 37.3325, longitude: -121.89)
        let locations = server.on(
            .get("/v1/locations").query("lat", "37.3293").query("long", "-121.8893"),
            reply: .json([plaza]), times: .once)

        #expect(try await loader.load(here) == [plaza])

        let request = try #require(locations.requests.first)
        #expect(request.queryItems.last == URLQueryItem(name: "limit", value: "2"))
    }

    @Test func invalidCoordinateIsNeverSent() async {
        await #expect(throws: RequestError.invalidCoordinate) {
            try await loader.load(Coordinate(latitude: 91, longitude: 0))
        }

        #expect(server.requests.isEmpty)
    }

    @Test func refusalThrowsItsStatusAndReason() async throws {
        server.on(
            .get("/v1/locations"), reply: .json(["error": "too far away"], status: 400))

        let error = await #expect(throws: APIError.self) { try await loader.load(here) }

        #expect(error?.kind == .status(400))
        #expect(error?.description.contains("too far away") == true)
    }
}
