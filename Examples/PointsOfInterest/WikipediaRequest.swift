import APIKit
import Foundation

/// A request for the articles of Wikipedia about places near a coordinate.
///
/// The answer has a shape of its own, and the points of interest are made from it here, so the rest
/// of the program cannot tell which server they came from.
struct WikipediaRequest: APIRequest {
    /// The distances that GeoSearch can look up, in meters.
    static let radii = 10...10_000

    /// The numbers of articles that GeoSearch can list.
    static let limits = 1...500

    /// How far away a place may be, in meters.
    var radius = 2000

    /// How many articles are wanted.
    var limit = 10

    /// Makes the request, unless there is no such coordinate.
    func makeRequest(from coordinate: Coordinate) throws -> URLRequest {
        guard coordinate.isValid else { throw RequestError.invalidCoordinate }
        return try URLRequest(
            .get, "api.php",
            query: [
                "action": "query", "list": "geosearch", "format": "json",
                "gscoord": "\(coordinate.latitude)|\(coordinate.longitude)",
                "gsradius": radius, "gslimit": limit,
            ])
    }

    /// Parses the list of articles, or throws what Wikipedia says is wrong.
    func parseResponse(data: Data) throws -> [PointOfInterest] {
        // MediaWiki reports its errors with status 200.
        if let error = try decoder.decode(ErrorAnswer.self, from: data).error { throw error }
        return try decoder.decode(Answer.self, from: data).query.geosearch.map {
            PointOfInterest($0.title, latitude: $0.lat, longitude: $0.lon)
        }
    }
}

extension WikipediaRequest {
    private struct ErrorAnswer: Decodable {
        let error: WikipediaError?
    }

    private struct Answer: Decodable {
        let query: Query
    }

    private struct Query: Decodable {
        let geosearch: [Article]
    }

    private struct Article: Decodable {
        let title: String
        let lat: Double
        let lon: Double
    }
}
