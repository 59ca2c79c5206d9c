import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// Replies of routes beside a recording of the real server.
@Suite(.timeLimit(.minutes(10))) struct StubComparisonTests {
    private let folder: RecordingFolder

    init() throws {
        folder = try RecordingFolder()
        func entry(_ path: String, _ body: String, status: Int = 200) -> HAREntry {
            HAREntry(
                request: HAREntry.Request(method: "GET", url: "https://api.example.com\(path)"),
                response: HAREntry.Response(status: status, body: Data(body.utf8)))
        }
        try folder.write([
            entry("/dogs", #"[{"id": 1, "breed": null}, {"id": 2, "breed": "akita", "age": 3}]"#),
            entry("/dogs/17", #"{"id": 17, "born": "2026-01-01T12:00:00Z"}"#),
            entry("/dogs/18", #"{"message": "Gone"}"#, status: 404),
        ])
    }

    /// Returns the warnings after a request to a route.
    private func warnings(
        _ path: String, _ reply: MockResponse, replays: Bool = false
    ) async throws -> [String] {
        let server = MockServer()
        let cassette = folder.moved(Cassette("users", options: [.allowsUnusedEntries]))
        if replays { server.replay(cassette) } else { server.compareStubs(with: cassette) }
        server.on(.get(path), reply: reply, line: 7)
        let url = try #require(URL(string: "https://staging.example.com\(path)"))
        _ = await Result.of { try await server.session.send(URLRequest(url: url)) }
        #expect(server.failures == [])
        let warnings = server.state.withLock { $0 }.stubWarnings
        #expect(warnings.allSatisfy { $0.isWarning && $0.line == 7 })
        return warnings.map(\.message)
    }

    @Test(arguments: [true, false])
    func memberThatNoRecordedResponseHasIsAWarning(replays: Bool) async throws {
        let reply = MockResponse.json([["id": "1", "race": "akita", "age": 2]])

        #expect(
            try await warnings("/dogs", reply, replays: replays) == [
                """
                The reply of GET /dogs differs from the recorded responses:
                  - [].id is string, and was recorded as number
                  - [].race is in no recorded response
                """
            ])
    }

    @Test(
        arguments: [
            ("/dogs", .json([["id": 1]])), ("/dogs", .json([["breed": nil], ["breed": "x"]])),
            ("/dogs", .json([])), ("/dogs/99", .json(["born": "today"])),
            ("/dogs/18", .json(["message": 7])),
            ("/cats", .json(["x": 1])), ("/dogs", .json(["x": 1], status: 404)),
            ("/dogs", .text("x")), ("/dogs", .json([["x": 1]]).truncated(after: 3)),
            ("/dogs", .failure(.timedOut)),
        ] as [(String, MockResponse)])
    func replyThatSaysLessOrSomethingElseIsNoWarning(
        path: String, reply: MockResponse
    ) async throws {
        #expect(try await warnings(path, reply) == [])
    }

    #if compiler(>=6.3)
    private static let severities = Locked<[Issue.Severity]>([])

    @Test(
        .compactMapIssues { issue in
            severities.withLock { $0.append(issue.severity) }
            return nil
        })
    func warningIsRecordedAndFailsNoTest() async throws {
        let server = MockServer()
        server.compareStubs(with: folder.moved(Cassette("users")))
        server.on(.get("/dogs"), reply: .json([["x": 1]]))
        _ = try await server.session.send(.make("GET", "/dogs"))

        server.verify()

        // The trait receives the issues as they are recorded.
        #expect(Self.severities.withLock { $0 } == [.warning])
    }
    #endif

    @Test func missingRecordingFailsTheTest() {
        let server = MockServer()
        server.compareStubs(with: folder.moved(Cassette("cats", mode: .none)), line: 9)

        #expect(server.failures.map(\.line) == [9])
    }
}
