import APIKit

/// The points of interest on a screen, without the details of loading them.
@MainActor final class NearbyModel {
    private(set) var points: [PointOfInterest] = []
    private(set) var message: String?
    /// Called after each load, for the screen to show the result.
    var onChange: () -> Void = {}
    private let load: @Sendable (Coordinate) async throws -> [PointOfInterest]

    /// Creates a model.
    ///
    /// - Parameter load: The `load` method of a loader in the app, any closure in a test.
    init(loadingWith load: @escaping @Sendable (Coordinate) async throws -> [PointOfInterest]) {
        self.load = load
    }

    func loadPoints(near coordinate: Coordinate) async {
        do {
            points = try await load(coordinate)
            message = nil
        } catch {
            message = text(for: error)
        }
        onChange()
    }

    private func text(for error: any Error) -> String {
        if error is RequestError { return "The coordinate is not on Earth." }
        return switch (error as? APIError)?.kind {
        case .status: "The server refused the request."
        case .decoding: "The response cannot be read."
        default: "The server cannot be reached."
        }
    }
}
