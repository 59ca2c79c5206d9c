/// A place on the earth, in degrees.
///
/// Any two numbers make one; what is asked of a server is checked where the request is made.
struct Coordinate: Sendable, Equatable {
    /// Degrees north of the equator, from -90 to 90.
    let latitude: Double

    /// Degrees east of Greenwich, from -180 to 180.
    let longitude: Double

    /// Whether there is such a place.
    ///
    /// Numbers that are not finite are in neither range.
    var isValid: Bool {
        (-90...90).contains(latitude) && (-180...180).contains(longitude)
    }
}
