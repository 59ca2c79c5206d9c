import APIKit
import APIKitTesting
import Foundation
import Testing

@testable import PointsOfInterest

@Suite(.mockServer, .timeLimit(.minutes(10))) struct SlowServerTests {
    private let server = MockServer.current
    private let clock = ManualClock()
    private let lines = AsyncStream.makeStream(of: String.self)

    /// Starts the program with the mock server as its transport.
    private func start() throws -> Task<String, any Error> {
        let arguments = try Arguments(["https://points.example"])
        var client = Program.client(
            for: arguments.source, clock: clock,
            write: { [lines] in lines.continuation.yield($0) })
        client.transport = server.session
        return Task { [client, lines] in
            defer { lines.continuation.finish() }
            return try await Program.output(for: arguments, client: client)
        }
    }

    @Test func waitIsWrittenAfterTwoSeconds() async throws {
        server.on(.get("/locations"), reply: .never)

        let program = try start()
        _ = try await server.nextRequest()
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(2))

        #expect(
            await lines.stream.first { _ in true } == "Waiting for points.example (deadline: 20 s)."
        )
        program.cancel()
        await #expect(throws: CancellationError.self) { try await program.value }
    }

    @Test func callIsRepeatedAndWritesOneLine() async throws {
        server.on(
            .get("/locations"), reply: .status(503), .status(503), .json([PointOfInterest("Plaza")])
        )

        let program = try start()
        // The deadline, the notice and the delay of Retry sleep.
        await clock.waitForSleepers(3)
        clock.advance(by: .milliseconds(500))
        await clock.waitForSleepers(3)
        clock.advance(by: .seconds(1))

        #expect(try await program.value == "Plaza")
        let url = "https://points.example/locations?lat=37.3293&long=-121.8893"
        #expect(
            await lines.stream.reduce(into: []) { $0.append($1) }
                == ["GET \(url) → 200, 3 attempts, 1.5 s, 18 bytes"])
    }
}
