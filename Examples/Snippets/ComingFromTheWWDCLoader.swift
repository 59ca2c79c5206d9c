import APIKit
import Foundation

struct Coordinate: Sendable {
    var latitude: Double
    var longitude: Double
}

nonisolated struct PointOfInterest: Codable, Sendable {
    var name: String
}

// snippet.request
struct PointsOfInterestRequest: APIRequest {
    typealias ResponseDataType = [PointOfInterest]

    func makeRequest(from coordinate: Coordinate) throws -> URLRequest {
        try URLRequest(
            .get, "locations",
            query: ["lat": coordinate.latitude, "long": coordinate.longitude])
    }
}
// snippet.end

func load(coordinate: Coordinate, client: APIClient) async throws {
    let request = PointsOfInterestRequest()
    do {
        // snippet.loader
        let loader = APIRequestLoader(apiRequest: request, client: client, responseQueue: .main)
        let points = try await loader.load(coordinate)
        // snippet.end
        print(points)
    }
}
