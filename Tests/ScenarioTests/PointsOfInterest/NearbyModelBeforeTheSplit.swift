import APIKit  // Makes `URLSession` available on Linux.
import Foundation

/// The points of interest on a screen, loaded by one method that does everything.
///
/// The method makes the URL, sends the request, decodes the body and updates the screen. It always
/// uses the shared session, so a test of any of these steps needs a server and the whole method.
@MainActor final class NearbyModelBeforeTheSplit {
    private(set) var points: [PointOfInterest] = []
    private(set) var message: String?
    /// Called after each load, for the screen to show the result.
    var onChange: () -> Void = {}
    private let server: String

    init(server: String = "https://points.example") {
        self.server = server
    }

    func loadPoints(near coordinate: Coordinate) {
        let address =
            "\(server)/locations?lat=\(coordinate.latitude)&long=\(coordinate.longitude)"
        guard let url = URL(string: address) else {
            message = "The address is not a URL."
            return onChange()
        }
        URLSession.shared.dataTask(with: url) { data, _, _ in
            DispatchQueue.main.async {
                if let data {
                    do {
                        self.points = try JSONDecoder().decode([PointOfInterest].self, from: data)
                        self.message = nil
                    } catch {
                        self.message = "The response cannot be read."
                    }
                } else {
                    self.message = "The server cannot be reached."
                }
                self.onChange()
            }
        }.resume()
    }
}
