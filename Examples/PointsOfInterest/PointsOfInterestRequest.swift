import APIKit
import Foundation

/// A request for the points of interest near a coordinate.
struct PointsOfInterestRequest: APIRequest {
    typealias ResponseDataType = [PointOfInterest]

    /// How far away a point may be, in meters; as far as the server likes if not given.
    var radius: Int?

    /// How many points are wanted; as many as the server likes if not given.
    var limit: Int?

    /// Makes the request, unless there is no such coordinate.
    func makeRequest(from coordinate: Coordinate) throws -> URLRequest {
        guard coordinate.isValid else { throw RequestError.invalidCoordinate }
        return try URLRequest(
            .get, "locations",
            query: [
                "lat": coordinate.latitude, "long": coordinate.longitude,
                "radius": radius, "limit": limit,
            ])
    }
}
