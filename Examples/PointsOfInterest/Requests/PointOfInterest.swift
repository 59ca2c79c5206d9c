/// A point of interest in a server's response.
struct PointOfInterest: Sendable, Equatable, Codable {
    /// The name of the point.
    let name: String

    /// Degrees north of the equator, or `nil` if the server does not have them.
    let latitude: Double?

    /// Degrees east of Greenwich, or `nil` if the server does not have them.
    let longitude: Double?

    /// Creates a point of interest.
    init(_ name: String, latitude: Double? = nil, longitude: Double? = nil) {
        self.name = name
        self.latitude = latitude
        self.longitude = longitude
    }

    /// The coordinate of the point, or `nil` if it is unknown or not valid.
    var coordinate: Coordinate? {
        guard let latitude, let longitude else { return nil }
        let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        return coordinate.isValid ? coordinate : nil
    }

    private enum CodingKeys: String, CodingKey {
        case name
        case latitude = "lat"
        case longitude = "long"
    }
}
