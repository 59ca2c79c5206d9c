import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// Runs a closure, and returns the issues that it records and the error that it throws, which do not fail
/// the test.
///
/// Swift 6.1 has no handler for issues, so the run prints them as known.
func recordedIssues(of body: @Sendable () async throws -> Void) async throws -> [Issue] {
    let recorded = Locked<[Issue]>([])
    #if compiler(>=6.2)
    let handler = IssueHandlingTrait.compactMapIssues { issue in
        recorded.withLock { $0.append(issue) }
        return nil
    }
    try await handler.provideScope(for: #require(Test.current), testCase: nil) {
        do { try await body() } catch { Issue.record(error) }
    }
    #else
    await withKnownIssue(isIntermittent: true) {
        try await body()
    } matching: { issue in
        recorded.withLock { $0.append(issue) }
        return true
    }
    #endif
    return recorded.withLock { $0 }
}

extension MockServer {
    /// Runs a closure as a test with the trait, and returns the issues that it records.
    static func issues(
        replaying cassette: Cassette? = nil, in run: TestRun = .current,
        of body: @Sendable (MockServer) async throws -> Void
    ) async throws -> [Issue] {
        let test = try #require(Test.current)
        return try await recordedIssues {
            try await perform(body, of: test, replaying: cassette, in: run)
        }
    }

    /// Verifies the server, and returns the texts of the issues that it records.
    func failuresOfVerification() async throws -> [String] {
        try await recordedIssues { verify() }.map(\.text)
    }

    /// Runs a closure as a test with the trait.
    static func perform(
        _ body: @Sendable (MockServer) async throws -> Void, of test: Test,
        replaying cassette: Cassette? = nil, in run: TestRun = .local
    ) async throws {
        let trait = cassette.map { MockServerTrait.mockServer(replaying: $0) } ?? .mockServer
        try await TestRun.$current.withValue(run) {
            try await trait.provideScope(for: test, testCase: nil) {
                try await body(MockServer.current)
            }
        }
    }
}

extension Cassette {
    /// Runs a test that replays the cassette, and returns the texts of the issues that it records, apart
    /// from the warnings of new recordings.
    func issues(
        in run: TestRun = .local, of body: @Sendable (MockServer) async throws -> Void
    ) async throws -> [String] {
        try await MockServer.issues(replaying: self, in: run, of: body).map(\.text)
            .filter { !$0.isOfNewFile }
    }
}

extension Issue {
    var text: String {
        comments.map(\.rawValue).joined() + (error.map { "\($0)" } ?? "")
    }
}

extension String {
    /// Whether the text of an issue is the warning of a recording that is made.
    var isOfNewFile: Bool { contains("did not exist, so the real") }
}

extension MockServer {
    static let traitHint =
        "The test does not have the trait .mockServer. Without it, only server.verify() reports this "
        + "request."

    /// Sends a request that nothing serves, and returns its error.
    @discardableResult
    func error(of request: URLRequest) async -> UnhandledRequestError? {
        await #expect(throws: UnhandledRequestError.self) { try await send(request) }
    }

    /// Sends a request that nothing serves, and returns the message of its failure.
    func miss(_ request: URLRequest) async -> String? {
        await error(of: request)
        return failures.last?.message
    }

    /// Sends the request by the session, whose error has the same text.
    func missBySession(_ request: URLRequest) async -> String? {
        let error = await #expect(throws: UnhandledRequestError.self) {
            try await session.send(request)
        }
        #expect(error?.localizedDescription == error?.description)
        let message = failures.last?.message
        #expect(error?.description == message.map { "\($0)\n\(Self.traitHint)" })
        return message
    }
}
