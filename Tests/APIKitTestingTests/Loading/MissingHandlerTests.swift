import APIKit
import APIKitTesting
import Foundation
import Testing

/// Only XCTest tests set `MockURLProtocol.requestHandler`, so it is `nil` here.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct MissingHandlerTests {
    // Each test has its own path, because concurrent requests of one URL may swap their failures.
    private let path = "/\(UUID())"
    private var request: URLRequest { .make("PUT", path + "?api_key=secret") }
    private var advice: String {
        """
        https://api.example.com\(path)?api_key=*** was requested, but MockURLProtocol.requestHandler \
        is nil. Set it before the request is made.
        """
    }

    private let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        return URLSession(configuration: configuration)
    }()

    @Test func requestFailsWithAdvice() async throws {
        let issues = try await recordedIssues {
            let error = await #expect(throws: (any Error).self) { try await session.send(request) }
            #expect(error?.localizedDescription == advice)
        }

        #expect(issues.allSatisfy { $0.text == advice })
    }

    // On Apple platforms the failure of a load cannot be attributed to a test.
    #if canImport(FoundationNetworking)
    @Test func requestWhoseErrorIsDroppedFailsItsTestOnce() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data("body".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }

        let sent = try await issues { _ = try await session.send(request) }
        let streamed = try await issues { _ = try await session.stream(request) }
        let uploaded = try await issues {
            _ = try await session.upload(request, from: .file(file), progress: { _ in })
        }
        let loaded = try await issues { _ = try await session.data(for: request) }

        #expect([sent, streamed, uploaded, loaded] == Array(repeating: [advice], count: 4))
    }

    @Test func eachRequestFailsTheTest() async throws {
        let issues = try await issues {
            for _ in 0..<2 { _ = await Result { try await session.send(request) } }
        }

        #expect(issues == [advice, advice])
    }

    /// Runs a closure, drops its error, and returns the issues that it records.
    private func issues(of body: @Sendable () async throws -> Void) async throws -> [String] {
        try await recordedIssues { _ = await Result { try await body() } }.map(\.text)
    }
    #endif
}
