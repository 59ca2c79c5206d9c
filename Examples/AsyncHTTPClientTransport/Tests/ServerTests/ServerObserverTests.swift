import APIKit
import APIKitTesting
import AsyncHTTPClientTransport
import Foundation
import InMemoryLogging
import Logging
import Metrics
import MetricsTestKit
import Testing

@Suite(.mockServer, .timeLimit(.minutes(1))) struct ServerObserverTests {
    private let server = MockServer.current

    /// Loads the dogs of a breed over a port of the server.
    private func load(
        _ breed: String, observing observe: @escaping @Sendable (APICall) -> LogObserver
    ) async throws {
        try await server.listening { url in
            let client = APIClient(
                baseURL: url, transport: HTTPClientTransport(),
                interceptors: [Retry(baseDelay: .zero)], observers: { [observe($0)] })
            _ = try await client.load(DogsRequest(), with: breed)
        }
    }

    @Test func endOfACallIsLoggedWithItsFields() async throws {
        server.on(.get("/dogs"), reply: .status(503), .text("Rex"))
        let log = InMemoryLogHandler()
        let logger = Logger(label: "api") { _ in log }

        try await load("akita") { logging($0, to: logger) }

        let entry = try #require(log.entries.first)
        #expect(log.entries.count == 1)
        #expect(entry.message == "The call has ended.")
        #expect(entry.level == .info)
        #expect(entry.metadata["request"] == "DogsRequest")
        #expect(entry.metadata["method"] == "GET")
        #expect(entry.metadata["attempts"] == "2")
        #expect(entry.metadata["status"] == "200")
        #expect(entry.metadata["bytes"] == "3")
        #expect(entry.metadata["reason"] == nil)
    }

    @Test func failureIsLoggedWithItsReason() async throws {
        server.on(.get("/dogs"), reply: .status(404))
        let log = InMemoryLogHandler()
        let logger = Logger(label: "api") { _ in log }

        await #expect(throws: APIError.self) { try await load("akita") { logging($0, to: logger) } }

        let entry = try #require(log.entries.first)
        #expect(entry.message == "The call has ended.")
        #expect(entry.level == .warning)
        #expect(entry.metadata["status"] == "404")
        #expect(entry.metadata["reason"].map { "\($0)" }?.contains("404") == true)
    }

    @Test func callsAreMeasuredByTheirOutcome() async throws {
        server.on(.get("/dogs").query("breed", "akita"), reply: .status(503), .text("Rex"))
        server.on(.get("/dogs").query("breed", "boxer"), reply: .status(404))
        let metrics = TestMetrics()

        try await withMetricsFactory(metrics) {
            try await load("akita", observing: measuring)
            await #expect(throws: APIError.self) { try await load("boxer", observing: measuring) }
        }

        let request = ("request", "DogsRequest")
        let success = [request, ("status", "200"), ("outcome", "success")]
        let failure = [request, ("status", "404"), ("outcome", "failure")]
        #expect(try metrics.expectTimer("api_call", success).values.count == 1)
        #expect(try metrics.expectTimer("api_call", failure).values.count == 1)
        #expect(try metrics.expectCounter("api_requests", [request]).values == [2, 1])
    }
}
