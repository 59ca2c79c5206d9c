/// One of the sixteen points of a compass, clockwise from north.
enum CompassPoint: String, Sendable, CaseIterable {
    case north = "N"
    case northNortheast = "NNE"
    case northeast = "NE"
    case eastNortheast = "ENE"
    case east = "E"
    case eastSoutheast = "ESE"
    case southeast = "SE"
    case southSoutheast = "SSE"
    case south = "S"
    case southSouthwest = "SSW"
    case southwest = "SW"
    case westSouthwest = "WSW"
    case west = "W"
    case westNorthwest = "WNW"
    case northwest = "NW"
    case northNorthwest = "NNW"

    /// Creates the point closest to a bearing from 0 through 360 degrees.
    init(bearing: Double) {
        let points = Self.allCases
        let steps = (bearing * Double(points.count) / 360).rounded()
        self = points[Int(steps) % points.count]
    }
}
