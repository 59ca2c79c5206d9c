/// A reason why no request can be made from an input.
enum RequestError: Error, Equatable {
    /// The coordinate is not a place on the earth.
    case invalidCoordinate
}

extension RequestError: CustomStringConvertible {
    /// One sentence that says what a request needs.
    var description: String {
        switch self {
        case .invalidCoordinate:
            "The coordinate is invalid: a latitude goes from -90 to 90, a longitude from -180 to 180."
        }
    }
}
