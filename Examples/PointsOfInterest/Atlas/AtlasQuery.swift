import Foundation

/// The query of a request to the atlas.
struct AtlasQuery {
    private let center: Coordinate
    private let radius: Int
    private let limit: Int

    /// Reads the query of a URL, or returns `nil` if it has no coordinate.
    init?(_ url: URL) {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        guard let latitude = value("lat").flatMap(Double.init),
            let longitude = value("long").flatMap(Double.init)
        else { return nil }
        center = Coordinate(latitude: latitude, longitude: longitude)
        radius = value("radius").flatMap { Int($0) } ?? 2000
        limit = value("limit").flatMap { Int($0) } ?? 10
    }

    /// Returns the places within the radius, nearest first.
    func select(from places: [PointOfInterest]) -> [PointOfInterest] {
        let found = places.compactMap { place in
            place.coordinate.map { (place: place, distance: center.distance(to: $0)) }
        }
        .filter { $0.distance <= Double(radius) }
        .sorted { $0.distance < $1.distance }
        return found.prefix(max(0, limit)).map(\.place)
    }
}
