import APIKit
import APIKitTesting
import Foundation
import Testing

@testable import PointsOfInterest

@Suite(.mockServer) struct ConsoleObserverTests {
    private let server = MockServer.current

    /// Returns the lines that the observer writes during a load, which may fail.
    private func lines() async throws -> [String] {
        let (lines, writer) = AsyncStream.makeStream(of: String.self)
        let client = APIClient(
            baseURL: URL(string: "https://me:hidden@points.example"), transport: server,
            observers: { _ in [ConsoleObserver(write: { writer.yield($0) })] })
        let near = Coordinate(latitude: 1, longitude: 2)
        _ = await Task { try await client.load(PointsOfInterestRequest(), with: near) }.result
        writer.finish()
        return await lines.reduce(into: []) { $0.append($1) }
    }

    @Test func successIsWritten() async throws {
        server.on(.get("/locations"), reply: .json([PointOfInterest("A")]))

        #expect(
            try await lines() == [
                "> GET https://me@points.example/locations?lat=1.0&long=2.0",
                "< 200, 14 bytes", "= 1 points of interest",
            ])
    }

    @Test func refusalIsWritten() async throws {
        server.on(.get("/locations"), reply: .status(503))

        #expect(try await lines().suffix(2) == ["< 503, 0 bytes", "= failed"])
    }

    @Test func transportErrorIsWritten() async throws {
        server.on(.get("/locations"), reply: .failure(.timedOut))

        #expect(try await lines().suffix(1) == ["= failed"])
    }
}
