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

    /// Returns the initial bearing of the great circle to another place, in degrees clockwise from
    /// north.
    func bearing(to other: Coordinate) -> Double {
        // At a pole, all directions point to the other pole.
        guard abs(latitude) < 90 else { return latitude > 0 ? 180 : 0 }
        let fromLatitude = latitude.radians
        let toLatitude = other.latitude.radians
        let width = (other.longitude - longitude).radians
        let east = sin(width) * cos(toLatitude)
        let north =
            cos(fromLatitude) * sin(toLatitude) - sin(fromLatitude) * cos(toLatitude) * cos(width)
        let degrees = atan2(east, north) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }
}

extension Double {
    fileprivate var radians: Double { self * .pi / 180 }
}
