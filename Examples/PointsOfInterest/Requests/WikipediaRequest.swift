import APIKit
import Foundation

/// A request for the Wikipedia articles about places near a coordinate.
///
/// It converts Wikipedia's response to points of interest, so the rest of the program does not
/// depend on the server.
struct WikipediaRequest: APIRequest {
    /// The radius of the search in meters.
    var radius = 2000

    /// The maximum number of articles.
    var limit = 10

    /// Makes the request, or throws if the coordinate is not valid.
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

    /// Parses the list of articles, or throws the error that Wikipedia reports.
    func parseResponse(data: Data) throws -> [PointOfInterest] {
        // MediaWiki reports its errors with status 200.
        if let error = try decoder.decode(ErrorBody.self, from: data).error { throw error }
        return try decoder.decode(Body.self, from: data).query.geosearch.map {
            PointOfInterest($0.title, latitude: $0.lat, longitude: $0.lon)
        }
    }
}

extension WikipediaRequest {
    private struct ErrorBody: Decodable {
        let error: WikipediaError?
    }

    private struct Body: Decodable {
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

/// An error that Wikipedia reports.
struct WikipediaError: Error, Equatable, Decodable, CustomStringConvertible {
    /// The reason, in English.
    let info: String

    /// A sentence with the reason.
    var description: String { "Wikipedia refused the request: \(info)" }
}
