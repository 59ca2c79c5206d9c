import APIKit  // Brings `URLSession` on Linux.
import Foundation

/// The points of interest that a screen shows, with everything in one method.
///
/// It works, and none of it can be tested but all of it at once.
@MainActor final class NearbyModelBeforeTheSplit {
    private(set) var points: [PointOfInterest] = []
    private(set) var message: String?
    var onChange: () -> Void = {}
    private let session: URLSession

    init(session: URLSession = .shared) {
        self.session = session
    }

    func loadPoints(near coordinate: Coordinate) {
        let address =
            "https://points.example/locations"
            + "?lat=\(coordinate.latitude)&long=\(coordinate.longitude)"
        guard let url = URL(string: address) else { return }
        session.dataTask(with: url) { data, _, error in
            DispatchQueue.main.async {
                if let data {
                    do {
                        self.points = try JSONDecoder().decode([PointOfInterest].self, from: data)
                        self.message = nil
                    } catch {
                        self.message = "The answer makes no sense."
                    }
                } else if error != nil {
                    self.message = "The server cannot be reached."
                }
                self.onChange()
            }
        }.resume()
    }
}
