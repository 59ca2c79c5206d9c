import Foundation

extension Coordinate: LosslessStringConvertible {
    /// Reads a latitude and a longitude with a comma between them, and spaces where one likes.
    init?(_ text: String) {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { Double($0.trimmingCharacters(in: .whitespaces)) }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1] else {
            return nil
        }
        self.init(latitude: latitude, longitude: longitude)
    }

    /// The latitude and the longitude with a comma between them.
    var description: String { "\(latitude),\(longitude)" }
}
