import APIKit
import APIKitTesting
import Testing

@testable import PointsOfInterest

@Suite(.mockServer, .timeLimit(.minutes(10))) struct SlowServerTests {
    private let server = MockServer.current
    private let clock = ManualClock()
    private let lines = AsyncStream.makeStream(of: String.self)

    /// Starts the program with the mock server as its transport.
    private func start(_ arguments: String..., isTerminal: Bool) throws -> Task<String, any Error> {
        let options = try Options(
            arguments: ["--server", "https://points.example"] + arguments)
        var client = Program.client(
            for: options, isTerminal: isTerminal, clock: clock,
            write: { [lines] in lines.continuation.yield($0) })
        client.transport = server.session
        return Task { [client, lines] in
            defer { lines.continuation.finish() }
            return try await Program.output(for: options, client: client)
        }
    }

    /// Returns the lines that the program has written when it ends.
    private func allLines() async -> [String] {
        await lines.stream.reduce(into: []) { $0.append($1) }
    }

    @Test func waitIsWrittenAfterTwoSecondsIfAPersonReadsIt() async throws {
        server.on(.get("/locations"), reply: .never)

        let program = try start(isTerminal: true)
        _ = try await server.nextRequest()
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(2))

        #expect(
            await lines.stream.first { _ in true } == "Waiting for points.example (deadline: 20 s)."
        )
        program.cancel()
        await #expect(throws: CancellationError.self) { try await program.value }
    }

    @Test func waitIsNotWrittenToAPipe() async throws {
        server.on(.get("/locations"), reply: .never)

        let program = try start("--deadline", "5", isTerminal: false)
        _ = try await server.nextRequest()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))

        let error = await #expect(throws: APIError.self) { try await program.value }
        #expect(error?.kind == .deadline)
        #expect(await allLines().isEmpty)
    }

    @Test func fastResponseWritesNoLine() async throws {
        server.on(.get("/locations"), reply: .json([PointOfInterest("Plaza")]))

        #expect(try await start(isTerminal: true).value.hasSuffix("Plaza"))

        #expect(await allLines().isEmpty)
    }

    @Test func verboseWritesEachAttemptAndItsTime() async throws {
        server.on(
            .get("/locations"), reply: .status(503), .status(503), .json([PointOfInterest("Plaza")])
        )

        let program = try start("--verbose", isTerminal: false)
        // The deadline, the notice and the delay of Retry sleep.
        await clock.waitForSleepers(3)
        clock.advance(by: .milliseconds(500))
        await clock.waitForSleepers(3)
        clock.advance(by: .seconds(1))

        #expect(try await program.value.hasSuffix("Plaza"))
        let written = await allLines()
        let request = "GET https://points.example/locations?lat=37.3293&long=-121.8893"
        #expect(
            written == [
                "0.00 s  \(request) → sent, attempt 1",
                "0.00 s  \(request) → received 503, attempt 1",
                "0.50 s  \(request) → sent, attempt 2",
                "0.50 s  \(request) → received 503, attempt 2",
                "1.50 s  \(request) → sent, attempt 3",
                "1.50 s  \(request) → received 200, attempt 3 [Content-Length: 18] "
                    + "[Content-Type: application/json]",
                "1.50 s  \(request) → 200, 3 attempts, 1.5 s, 18 bytes",
            ])
    }
}
