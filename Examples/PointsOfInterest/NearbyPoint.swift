/// A point of interest as seen from where one stands.
struct NearbyPoint: Sendable, Equatable {
    /// What the place is called.
    let name: String

    /// How far away it is in meters, where that is known.
    let distance: Double?

    /// Where to look for it; unknown also for whoever stands on it.
    let direction: CompassPoint?

    /// Creates the view of a point from a place.
    init(_ point: PointOfInterest, from place: Coordinate) {
        name = point.name
        distance = point.coordinate.map(place.distance(to:))
        let isElsewhere = (distance ?? 0) >= 0.5
        direction = point.coordinate.flatMap { coordinate in
            isElsewhere ? CompassPoint(bearing: place.bearing(to: coordinate)) : nil
        }
    }

    /// Returns the views of points from a place, nearest first and those of unknown distance last.
    static func list(_ points: [PointOfInterest], from place: Coordinate) -> [NearbyPoint] {
        points.map { NearbyPoint($0, from: place) }
            .sorted { ($0.distance ?? .infinity) < ($1.distance ?? .infinity) }
    }
}
