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
