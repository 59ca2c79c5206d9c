import Foundation

/// The query of a request to the atlas.
struct AtlasQuery: Equatable {
    let center: Coordinate
    var radius = 2000
    var limit = 10

    /// Reads the items of a query, or throws a `Refusal` if one is missing or invalid.
    init(_ items: [URLQueryItem]) throws {
        let center = Coordinate(
            latitude: try Self.number("lat", in: items),
            longitude: try Self.number("long", in: items))
        guard center.isValid else { throw Refusal(error: "\(center) is not a valid coordinate") }
        self.center = center
        radius = try Self.count("radius", in: items) ?? radius
        limit = try Self.count("limit", in: items) ?? limit
    }

    /// Returns the places that match the query, nearest first.
    func select(from places: [PointOfInterest]) -> [PointOfInterest] {
        let found = places.compactMap { place in
            place.coordinate.map { (place: place, distance: center.distance(to: $0)) }
        }
        .filter { $0.distance <= Double(radius) }
        .sorted { $0.distance < $1.distance }
        return found.prefix(limit).map(\.place)
    }

    private static func number(_ name: String, in items: [URLQueryItem]) throws -> Double {
        guard let text = items.first(where: { $0.name == name })?.value else {
            throw Refusal(error: "\(name) is missing")
        }
        guard let number = Double(text) else {
            throw Refusal(error: "\(name) is not a number: \"\(text)\"")
        }
        return number
    }

    private static func count(_ name: String, in items: [URLQueryItem]) throws -> Int? {
        guard let item = items.first(where: { $0.name == name }) else { return nil }
        guard let count = item.value.flatMap({ Int($0) }), count > 0 else {
            throw Refusal(error: "\(name) is not a positive whole number")
        }
        return count
    }
}
