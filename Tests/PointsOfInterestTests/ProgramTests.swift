import APIKit
import APIKitTesting
import Foundation
import Testing

@testable import PointsOfInterest

@Suite(.mockServer) struct ProgramTests {
    private let server = MockServer.current

    /// Returns the output of the program for arguments, with the mock server as its transport.
    private func output(_ arguments: String...) async throws -> String {
        let options = try Options(arguments: arguments)
        // A clock that stands still, so that no deadline ends a test on a slow machine.
        var client = Program.client(for: options, clock: ManualClock())
        client.transport = server.session
        return try await Program.output(for: options, client: client)
    }

    @Test func atlasPointsArePrintedAsATable() async throws {
        let options = try Options(arguments: ["--near", "-33.8568,151.2153", "--limit", "2"])

        let output = try await Program.output(
            for: options, client: Program.client(for: options, clock: ManualClock()))

        #expect(
            output == """
                DISTANCE  DIRECTION  NAME
                     0 m             Sydney Opera House
                   650 m  NW         Sydney Harbour Bridge
                """)
    }

    @Test func defaultsFindPoints() async throws {
        let options = try Options(arguments: [])

        let output = try await Program.output(
            for: options, client: Program.client(for: options, clock: ManualClock()))

        #expect(output.contains("Plaza de César Chávez"))
    }

    @Test func serverIsRequestedBelowItsURL() async throws {
        server.on(
            .get("/api/locations").host("points.example").query("radius", "50"),
            reply: .json([PointOfInterest("Somewhere")]))

        let output = try await output("--server", "https://points.example/api/", "--radius", "50")

        #expect(output == "DISTANCE  DIRECTION  NAME\n                     Somewhere")
    }

    @Test func wikipediaRequestHasAUserAgent() async throws {
        server.on(
            .get("/w/api.php").host("en.wikipedia.org").query("gsradius", "2000")
                .header("User-Agent", .prefix("PointsOfInterest/")),
            reply: .text(
                #"{"query": {"geosearch": [{"title": "Null Island", "lat": 0, "lon": 0}]}}"#))

        let output = try await output("--wikipedia", "--near", "0.009,0")

        #expect(output.contains("1.0 km  S          Null Island"))
    }

    @Test func emptyResultIsReported() async throws {
        server.on(.get("/locations"), reply: .json([PointOfInterest]()))

        let output = try await output("--server", "https://points.example", "--near", "1,2")

        #expect(output == "There are no points of interest near 1.0,2.0. Try a larger --radius.")
    }

    @Test func helpSendsNoRequest() async throws {
        #expect(try await output("--help", "--server", "https://points.example") == Options.help)

        #expect(server.requests.isEmpty)
    }

    @Test func arrayInHelpIsAccepted() async throws {
        let array = try #require(Options.help.firstMatch(of: /\[\n.*\n\]/)).output
        server.on(.get("/locations"), reply: .text(String(array)))

        let output = try await output("--server", "http://localhost:8000")

        #expect(output.hasSuffix("  1.1 km  WNW        SAP Center"))
    }
}
