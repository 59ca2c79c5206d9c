/// An error in the input of a request.
enum RequestError: Error, Equatable {
    /// The coordinate is out of range.
    case invalidCoordinate
}

extension RequestError: CustomStringConvertible {
    /// A sentence that describes the valid range.
    var description: String {
        switch self {
        case .invalidCoordinate:
            "The coordinate is invalid: latitudes are -90 to 90, and longitudes -180 to 180."
        }
    }
}
