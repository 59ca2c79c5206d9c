import APIKit
import Foundation

struct PointOfInterest: Codable, Equatable {
    let name: String
    let lat: Double
    let long: Double

    /// Ten points, the size of a small response.
    static let ten = (0..<10).map { number in
        PointOfInterest(
            name: "Point of Interest \(number)", lat: 37.3293 + Double(number) / 1_000,
            long: -121.8893 - Double(number) / 1_000)
    }

    /// The ten points as JSON.
    static func tenAsJSON() throws -> Data { try JSONEncoder().encode(ten) }
}

struct Coordinate {
    let latitude: Double
    let longitude: Double

    static let sanJose = Coordinate(latitude: 37.3293, longitude: -121.8893)
}

struct PointsOfInterestRequest: APIRequest {
    typealias ResponseDataType = [PointOfInterest]

    static let baseURL = URL(string: "https://api.example.com/v1")

    func makeRequest(from coordinate: Coordinate) throws -> URLRequest {
        try URLRequest(
            .get, "locations", query: ["lat": coordinate.latitude, "long": coordinate.longitude])
    }

    /// The same request without this package.
    static func bareRequest(for coordinate: Coordinate) throws -> URLRequest {
        var components = URLComponents(string: "https://api.example.com/v1/locations")
        components?.queryItems = [
            URLQueryItem(name: "lat", value: "\(coordinate.latitude)"),
            URLQueryItem(name: "long", value: "\(coordinate.longitude)"),
        ]
        guard let url = components?.url else { throw URLError(.badURL) }
        return URLRequest(url: url)
    }
}
