import Foundation

extension Coordinate {
    // The mean radius of the earth as defined by the IUGG, in meters.
    private static let earthRadius = 6_371_008.8

    /// Returns the distance to another place along a great circle, in meters.
    func distance(to other: Coordinate) -> Double {
        let fromLatitude = latitude.radians
        let toLatitude = other.latitude.radians
        let halfHeight = sin((toLatitude - fromLatitude) / 2)
        let halfWidth = sin((other.longitude - longitude).radians / 2)
        let haversine =
            halfHeight * halfHeight
            + cos(fromLatitude) * cos(toLatitude) * halfWidth * halfWidth
        // Rounding can put the haversine of two antipodes above 1.
        return 2 * Self.earthRadius * asin(min(1, haversine.squareRoot()))
    }
}

extension Double {
    fileprivate var radians: Double { self * .pi / 180 }
}
