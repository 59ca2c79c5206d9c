import APIKit
import Foundation

/// Requests the points of interest near a coordinate.
struct PointsOfInterestRequest: APIRequest {
    func makeRequest(from coordinate: Coordinate) throws -> URLRequest {
        guard coordinate.isValid else { throw RequestError.invalidCoordinate }
        return try URLRequest(
            .get, "https://points.example/locations",
            query: ["lat": coordinate.latitude, "long": coordinate.longitude])
    }

    func parseResponse(data: Data) throws -> [PointOfInterest] {
        try JSONDecoder().decode([PointOfInterest].self, from: data)
    }
}
