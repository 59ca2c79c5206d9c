import APIKit
import Foundation

/// A source of points of interest.
enum Source: Sendable, Equatable {
    /// The atlas in the program.
    case atlas

    /// A server with `locations` below its URL.
    case server(URL)

    /// The articles of the English Wikipedia.
    case wikipedia

    /// The client for requests to the source.
    var client: APIClient {
        switch self {
        case .atlas:
            APIClient(baseURL: Atlas.baseURL, transport: Atlas())
        case .server(let url):
            APIClient(baseURL: url)
        case .wikipedia:
            APIClient(
                baseURL: URL(string: "https://en.wikipedia.org/w"),
                // Required: https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy
                headers: ["User-Agent": "PointsOfInterest/1.0 (example program of APIKit)"])
        }
    }

    /// Returns the request for the source.
    func request(radius: Int?, limit: Int?) -> any APIRequest<Coordinate, [PointOfInterest]> {
        switch self {
        case .atlas, .server:
            return PointsOfInterestRequest(radius: radius, limit: limit)
        case .wikipedia:
            var request = WikipediaRequest()
            request.radius = radius ?? request.radius
            request.limit = limit ?? request.limit
            return request
        }
    }
}
