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

    /// The request for the source.
    var request: any APIRequest<Coordinate, [PointOfInterest]> {
        switch self {
        case .atlas, .server: PointsOfInterestRequest()
        case .wikipedia: WikipediaRequest()
        }
    }
}

extension Source {
    /// Reads `wikipedia`, or the URL of a server.
    init?(_ text: String) {
        if text == "wikipedia" {
            self = .wikipedia
        } else if let url = URL(string: text), ["http", "https"].contains(url.scheme),
            url.host != nil
        {
            self = .server(url)
        } else {
            return nil
        }
    }
}
