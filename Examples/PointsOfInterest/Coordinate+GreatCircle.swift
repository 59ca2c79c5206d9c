import Foundation

extension Coordinate {
    // The mean radius of the earth by the IUGG, in meters.
    private static let earthRadius = 6_371_008.8

    /// Returns the length of the shortest way to another place, in meters.
    func distance(to other: Coordinate) -> Double {
        let fromLatitude = latitude.radians
        let toLatitude = other.latitude.radians
        let halfHeight = sin((toLatitude - fromLatitude) / 2)
        let halfWidth = sin((other.longitude - longitude).radians / 2)
        let haversine =
            halfHeight * halfHeight
            + cos(fromLatitude) * cos(toLatitude) * halfWidth * halfWidth
        // Rounding can put two ends of the earth a little further apart than the earth is wide.
        return 2 * Self.earthRadius * asin(min(1, haversine.squareRoot()))
    }

    /// Returns the direction in which the shortest way to another place starts, in degrees from
    /// north through east.
    func bearing(to other: Coordinate) -> Double {
        // At a pole every way leads to the other one, whatever the longitudes are.
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
