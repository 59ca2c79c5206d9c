import APIKit
import APIKitTesting
import Foundation
import Testing

@testable import PointsOfInterest

@Suite(.mockServer) struct ProgramTests {
    private let server = MockServer.current

    /// Returns the output of the program for arguments, with the mock server as its transport.
    private func output(_ arguments: String...) async throws -> String {
        let arguments = try Arguments(arguments)
        // A clock that stands still, so that no deadline ends a test on a slow machine.
        var client = Program.client(for: arguments.source, clock: ManualClock(), write: { _ in })
        client.transport = server.session
        return try await Program.output(for: arguments, client: client)
    }

    @Test func atlasNeedsNoNetwork() async throws {
        let arguments = try Arguments(["-33.8568,151.2153"])
        let client = Program.client(for: .atlas, clock: ManualClock(), write: { _ in })

        let output = try await Program.output(for: arguments, client: client)

        #expect(output.hasPrefix("Sydney Opera House, 0 m\nSydney Harbour Bridge, 650 m\n"))
    }

    @Test func serverIsRequestedBelowItsURL() async throws {
        server.on(
            .get("/api/locations").host("points.example").query("lat", "37.3293"),
            reply: .json([PointOfInterest("Somewhere")]))

        #expect(try await output("https://points.example/api/") == "Somewhere")
    }

    @Test func wikipediaRequestHasAUserAgent() async throws {
        server.on(
            .get("/w/api.php").host("en.wikipedia.org")
                .header("User-Agent", .prefix("PointsOfInterest/")),
            reply: .text(
                #"{"query": {"geosearch": [{"title": "Null Island", "lat": 0, "lon": 0}]}}"#))

        #expect(try await output("wikipedia", "0.009,0") == "Null Island, 1001 m")
    }

    @Test func emptyResultIsReported() async throws {
        server.on(.get("/locations"), reply: .json([PointOfInterest]()))

        let output = try await output("https://points.example", "1,2")

        #expect(output == "There are no points of interest near 1.0,2.0.")
    }

    @Test(arguments: ["--help", "1", "ftp://points.example", "http:"])
    func otherArgumentShowsTheUsage(argument: String) {
        let error = #expect(throws: UsageError.self) { try Arguments([argument]) }

        #expect(error.map { "\($0)".hasPrefix("\"\(argument)\" is neither") } == true)
    }
}
