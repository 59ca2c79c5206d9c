import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct CallRecorderTests {
    let server = MockServer.current
    let recorder = CallRecorder()

    private struct Greeting: APIRequest {
        typealias ResponseDataType = String

        func makeRequest(from name: String) throws -> URLRequest {
            guard !name.isEmpty else { throw URLError(.badURL) }
            return try URLRequest(.get, "https://a.example/greetings/\(name)")
        }
    }

    private var client: APIClient {
        APIClient(
            transport: server, interceptors: [Retry(baseDelay: .zero)],
            observers: { [recorder] _ in [recorder] })
    }

    @Test func stepsOfASuccessAreInOrder() async throws {
        server.on(.get("/greetings/Ada"), reply: .status(503), .text("Hello"))

        _ = try await client.load(Greeting(), with: "Ada")

        #expect(
            recorder.steps == [
                .callStarted, .requestSent(attempt: 1), .responseReceived(status: 503, attempt: 1),
                .requestSent(attempt: 2), .responseReceived(status: 200, attempt: 2),
                .callSucceeded,
            ])
        #expect(recorder.requests.map(\.url?.path) == ["/greetings/Ada", "/greetings/Ada"])
        #expect(recorder.values as? [String] == ["Hello"])
        #expect(recorder.errors.isEmpty)
    }

    @Test func failureKeepsItsError() async {
        server.on(.get("/greetings/Ada"), reply: .status(404))

        await #expect(throws: APIError.self) { try await client.load(Greeting(), with: "Ada") }

        #expect(recorder.steps.last == .callFailed)
        #expect(recorder.errors.map { ($0 as? APIError)?.statusCode } == [404])
        #expect(recorder.values.isEmpty)
    }

    @Test func waitCountsAllCalls() async throws {
        server.on(.get("/greetings/{name}"), reply: .text("Hello"), times: 50)
        let client = client
        for number in 1...50 {
            Task { try await client.load(Greeting(), with: "\(number)") }
        }

        try await recorder.waitForEnd(ofCalls: 50)

        #expect(recorder.values.count == 50)
    }

    @Test func waitThatExceedsItsLimitListsTheSteps() async throws {
        server.on(.get("/greetings/Ada"), reply: .text("Hello"))
        _ = try await client.load(Greeting(), with: "Ada")

        let error = await #expect(throws: TestFailure.self) {
            try await recorder.waitForEnd(ofCalls: 2, within: .zero)
        }

        #expect(
            error?.message == """
                1 call has ended within 0.0 seconds, but the test waits for 2. The recorded steps are:
                  - callStarted
                  - requestSent(attempt: 1)
                  - responseReceived(status: 200, attempt: 1)
                  - callSucceeded
                """)
    }

    @Test func recorderWithoutStepsNamesTheRemedy() async {
        await #expect(throws: URLError.self) { try await client.load(Greeting(), with: "") }

        let error = await #expect(throws: TestFailure.self) {
            try await recorder.waitForEnd(within: .zero)
        }

        #expect(
            error?.message == """
                0 calls have ended within 0.0 seconds, but the test waits for 1. The recorded steps \
                are: none. Pass the recorder to the client, in observers: { _ in [recorder] }
                """)
    }
}
