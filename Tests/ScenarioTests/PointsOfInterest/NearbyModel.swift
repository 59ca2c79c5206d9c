import APIKit

/// The points of interest that a screen shows, and nothing about how they are loaded.
@MainActor final class NearbyModel {
    private(set) var points: [PointOfInterest] = []
    private(set) var message: String?
    private let load: @Sendable (Coordinate) async throws -> [PointOfInterest]

    /// Creates a model; in the app, with the `load` of a loader.
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
    }

    private func text(for error: any Error) -> String {
        if error is RequestError { return "That is no place on Earth." }
        return switch (error as? APIError)?.kind {
        case .status: "The server has no answer right now."
        case .decoding: "The answer makes no sense."
        default: "The server cannot be reached."
        }
    }
}
