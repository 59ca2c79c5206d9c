/// A point of interest with its distance and direction from a place.
struct NearbyPoint: Sendable, Equatable {
    /// The name of the point.
    let name: String

    /// The distance in meters, or `nil` if the point has no coordinate.
    let distance: Double?

    /// The direction, or `nil` if the point has no coordinate or is less than half a meter away.
    let direction: CompassPoint?

    /// Creates a nearby point from a point of interest and a place.
    init(_ point: PointOfInterest, from place: Coordinate) {
        name = point.name
        distance = point.coordinate.map(place.distance(to:))
        let isElsewhere = (distance ?? 0) >= 0.5
        direction = point.coordinate.flatMap { coordinate in
            isElsewhere ? CompassPoint(bearing: place.bearing(to: coordinate)) : nil
        }
    }

    /// Returns the points near a place, nearest first, and those of unknown distance last.
    static func list(_ points: [PointOfInterest], from place: Coordinate) -> [NearbyPoint] {
        points.map { NearbyPoint($0, from: place) }
            .sorted { ($0.distance ?? .infinity) < ($1.distance ?? .infinity) }
    }
}
