import APIKit
import APIKitTesting
import AsyncHTTPClient
import AsyncHTTPClientTransport
import Foundation
import Logging
import ServiceLifecycle
import Testing

/// A service that runs a closure.
private struct Work: Service {
    let work: @Sendable () async throws -> Void

    func run() async throws { try await work() }
}

@Suite(.mockServer, .timeLimit(.minutes(1))) struct HTTPClientServiceTests {
    private let server = MockServer.current
    private let httpClient = HTTPClient()
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func makeClient(_ url: URL) -> APIClient {
        APIClient(baseURL: url, transport: HTTPClientTransport(httpClient))
    }

    /// Runs a service beside that of the client, until a signal or an error.
    private func makeGroup(_ work: @escaping @Sendable () async throws -> Void) -> ServiceGroup {
        ServiceGroup(
            services: [HTTPClientService(client: httpClient), Work(work: work)], logger: logger)
    }

    private func expectShutDown(_ client: APIClient) async {
        let error = await #expect(throws: APIError.self) {
            try await client.load(DogsRequest(), with: "akita")
        }
        #expect(error?.kind == .invalidRequest("its HTTPClient has been shut down"))
    }

    @Test func clientOutlivesTheServicesThatUseIt() async throws {
        server.on(.get("/dogs").query("breed", "akita"), reply: .text("Rex"))
        try await server.listening { url in
            let client = makeClient(url)
            let (starts, start) = AsyncStream.makeStream(of: Void.self)
            let group = makeGroup {
                start.yield()
                try await gracefulShutdown()
                let dog = try await client.load(DogsRequest(), with: "akita")
                #expect(dog == "Rex")
            }

            async let running: Void = group.run()
            for await _ in starts { break }
            await group.triggerGracefulShutdown()
            try await running

            await expectShutDown(client)
        }
    }

    @Test func serviceThatFailsShutsTheClientDown() async throws {
        try await server.listening { url in
            let group = makeGroup { throw URLError(.badURL) }

            await #expect(throws: URLError.self) { try await group.run() }

            await expectShutDown(makeClient(url))
        }
    }
}
