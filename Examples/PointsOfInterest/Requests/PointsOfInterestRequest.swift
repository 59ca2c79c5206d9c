import APIKit
import Foundation

/// A request for the points of interest near a coordinate.
struct PointsOfInterestRequest: APIRequest {
    typealias ResponseDataType = [PointOfInterest]

    /// The radius of the search in meters, or `nil` for the default of the server.
    var radius: Int?

    /// The maximum number of points, or `nil` for the default of the server.
    var limit: Int?

    /// Makes the request, or throws if the coordinate is not valid.
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
