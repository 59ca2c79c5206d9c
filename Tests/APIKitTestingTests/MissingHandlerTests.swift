import APIKit
import APIKitTesting
import Foundation
import Testing

/// No test of Swift Testing sets `MockURLProtocol.requestHandler`, so these find none.
@Suite struct MissingHandlerTests {
    private static let advice = """
        https://api.example.com/a?token=*** was requested, but MockURLProtocol.requestHandler is \
        nil. Set it before the request is made.
        """

    private let request = URLRequest.make("PUT", "/a?token=secret")
    private let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [MockURLProtocol.self]
        return URLSession(configuration: configuration)
    }()

    @Test func requestFailsWithAdvice() async {
        await withKnownIssue(isIntermittent: true) {
            let error = await #expect(throws: (any Error).self) { try await session.send(request) }
            #expect(error?.localizedDescription == Self.advice)
        } matching: { issue in
            issue.comments.map(\.rawValue) == [Self.advice]
        }
    }

    // On Apple platforms nothing relates a load to the task that started it.
    #if canImport(FoundationNetworking)
    @Test func requestWhoseErrorIsDroppedFailsItsTestOnce() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data("body".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }

        let sent = await issues { _ = try await session.send(request) }
        let streamed = await issues { _ = try await session.stream(request) }
        let uploaded = await issues {
            _ = try await session.upload(request, from: .file(file), progress: { _ in })
        }
        let loaded = await issues { _ = try await session.data(for: request) }

        #expect([sent, streamed, uploaded, loaded] == Array(repeating: [Self.advice], count: 4))
    }

    @Test func eachRequestFailsTheTest() async {
        let issues = await issues {
            for _ in 0..<2 { _ = await Result { try await session.send(request) } }
        }

        #expect(issues == [Self.advice, Self.advice])
    }

    /// Returns the issues that a body records while its errors are dropped.
    private func issues(of body: () async throws -> Void) async -> [String] {
        let recorded = Locked<[String]>([])
        await withKnownIssue(isIntermittent: true) {
            _ = await Result { try await body() }
        } matching: { issue in
            recorded.withLock { $0.append(issue.comments.map(\.rawValue).joined()) }
            return true
        }
        return recorded.withLock { $0 }
    }
    #endif
}
