import APIKit
import Foundation
import Testing

@testable import APIKitTesting

#if compiler(>=6.3)
/// The warnings that the real server replied, because a test has recorded.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct RecordingWarningTests {
    private let folder: RecordingFolder
    private let real: LoopbackServer

    init() throws {
        folder = try RecordingFolder()
        real = try LoopbackServer { _ in LoopbackServer.response(200) }
    }

    /// Returns the issues of a test that requests one path.
    private func issuesOfALoad(_ cassette: Cassette, in run: TestRun) async throws -> [Issue] {
        let test = try #require(Test.current)
        let found = Locked<[Issue]>([])
        let handler = IssueHandlingTrait.compactMapIssues { issue in
            found.withLock { $0.append(issue) }
            return nil
        }
        try await handler.provideScope(for: test, testCase: nil) {
            try await MockServer.perform(
                { _ = try await $0.send(URLRequest(url: real.url("/a"))) }, of: test,
                replaying: cassette, in: run)
        }
        return found.withLock { $0 }
    }

    @Test func recordingThatIsMadeIsAWarning() async throws {
        let issues = try await issuesOfALoad(folder.cassette(), in: .local)

        #expect(issues.map(\.severity) == [.warning])
        #expect("\(issues)".contains("1 request was recorded"))
        #expect("\(issues)".contains("TEST_RUNNER_CI=1 xcodebuild test"))
        #expect(try await issuesOfALoad(folder.cassette(), in: .later).isEmpty)
    }

    @Test(arguments: [Cassette.Mode.all, .newEpisodes])
    func modeOfTheCodeThatRecordsWhereCIIsSetIsAWarning(mode: Cassette.Mode) async throws {
        let runs = [["CI": "1"], [:], ["CI": "1", "APIKIT_RECORD": mode.rawValue]]
        var issues: [[Issue]] = []
        for (number, environment) in runs.enumerated() {
            issues.append(
                try await issuesOfALoad(
                    folder.cassette("\(number)", mode: mode),
                    in: TestRun(environment: environment)))
        }

        #expect(issues.map(\.count) == [1, 0, 0])
        #expect(issues.first?.map(\.severity) == [.warning])
        #expect(
            issues.first?.map(\.text) == [
                """
                Recordings/0.har records where CI is set, so the real server replied, and 1 request \
                was recorded. Remove mode: .\(mode). Commit the file. In continuous integration, a \
                missing file fails the test if CI is set: TEST_RUNNER_CI=1 xcodebuild test
                """
            ])
    }
}
#endif
