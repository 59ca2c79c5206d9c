import Foundation

/// A place on the earth, in degrees.
///
/// It can hold any two numbers. The request types throw if it is not valid.
struct Coordinate: Sendable, Equatable {
    /// Degrees north of the equator, from -90 to 90.
    let latitude: Double

    /// Degrees east of Greenwich, from -180 to 180.
    let longitude: Double

    /// Whether both numbers are finite and in range.
    var isValid: Bool {
        (-90...90).contains(latitude) && (-180...180).contains(longitude)
    }
}

extension Coordinate: LosslessStringConvertible {
    /// Reads a latitude and a longitude, separated by a comma and optional spaces.
    init?(_ text: String) {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { Double($0.trimmingCharacters(in: .whitespaces)) }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else {
            return nil
        }
        self.init(latitude: latitude, longitude: longitude)
    }

    /// The latitude and the longitude, separated by a comma.
    var description: String { "\(latitude),\(longitude)" }
}
