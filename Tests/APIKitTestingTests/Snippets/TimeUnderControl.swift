import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.mockServer) struct TimeSnippets {
    let rex = Dog(id: 1, name: "Rex")

    // snippet.delay
    @Test func waitsForALateResponse() async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(.get("/v1/dogs"), reply: .json([rex]).delayed(.seconds(3600)))
        let patch = DogPatch(session: server.session)

        async let dogs = patch.dogs(of: "akita")
        await clock.advanceToNextDeadline()

        #expect(try await dogs == [rex])
    }
    // snippet.end

    // snippet.retry
    @Test func waitsTwiceAsLongBeforeTheThirdAttempt() async throws {
        let clock = ManualClock()
        let server = MockServer.current
        server.on(
            .get("/v1/dogs"), reply: .status(503), .status(503), .json([rex]))
        let client = APIClient(
            baseURL: URL(string: "https://api.example.com/v1"),
            transport: server.session,
            interceptors: [
                Deadline(.seconds(20), clock: clock),
                Retry(baseDelay: .seconds(1), clock: clock, jitter: { 1 }),
            ])

        async let dogs = client.load(DogsRequest(), with: "akita")
        #expect(await clock.advanceToNextDeadline() == .seconds(1))
        #expect(await clock.advanceToNextDeadline() == .seconds(2))

        #expect(try await dogs == [rex])
    }
    // snippet.end

    // snippet.deadline
    @Test func failsAfterTwentySeconds() async throws {
        let clock = ManualClock()
        let server = MockServer.current
        server.on(.get("/v1/dogs"), reply: .never)
        let client = APIClient(
            baseURL: URL(string: "https://api.example.com/v1"),
            transport: server.session,
            interceptors: [Deadline(.seconds(20), clock: clock)])

        let load = Task { try await client.load(DogsRequest(), with: "akita") }
        await clock.waitForSleepers()
        _ = try await server.nextRequest()
        clock.advance(by: .seconds(20))

        let error = await #expect(throws: APIError.self) {
            try await load.value
        }
        #expect(error?.kind == .deadline)
    }
    // snippet.end
}
