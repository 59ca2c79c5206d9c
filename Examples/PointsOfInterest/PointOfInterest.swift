/// A place worth a visit, as the server describes it.
struct PointOfInterest: Sendable, Equatable, Codable {
    /// What the place is called.
    let name: String

    /// Degrees north of the equator, where the server knows them.
    let latitude: Double?

    /// Degrees east of Greenwich, where the server knows them.
    let longitude: Double?

    /// Creates a point of interest.
    init(_ name: String, latitude: Double? = nil, longitude: Double? = nil) {
        self.name = name
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Where the place is, unless the server does not know or names a place that cannot be.
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
