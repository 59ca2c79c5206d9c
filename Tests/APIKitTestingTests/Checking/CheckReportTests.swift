import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// What a check says of the entries that it has compared, and of its warnings.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct CheckReportTests {
    private let check: CheckedServer

    init() throws {
        check = try CheckedServer()
    }

    /// Loads a path in a check, and returns the failures and warnings of its server.
    private func issues(in environment: [String: String] = [:]) async throws -> [TestFailure] {
        try await TestRun.$current.withValue(TestRun(environment: environment)) {
            let server = check.folder.server(replaying: Cassette("dogs", mode: .check))
            let client = APIClient(baseURL: check.real.url("/"), transport: server.session)
            _ = try await client.load(CheckedServer.GetDogs(), with: "dogs")
            return server.state.withLock { $0 }.finish(testHasPassed: true)
        }
    }

    @Test func summaryCountsEachEntryOnceByItsBestComparison() {
        var report = CheckReport()
        for outcome in [CheckReport.Outcome.skipped("not requested"), .head, .body, .head] {
            report.add(0, outcome)
        }
        report.add(2, .status(401))
        report.add(1, .notSent(method: "POST"))

        #expect(
            report.summary(of: "Recordings/dogs.har")
                == "Recordings/dogs.har: 1 compared by body, 0 by head only, 2 not compared: "
                + "entry 2 not sent (POST); entry 3 status 401.")
    }

    @Test func entryOfAnotherTestIsNotMissed() async throws {
        try check.record(["dogs", "dogs/cat"])
        var entries = try check.folder.entries("dogs")
        for index in entries.indices { entries[index].test = "another" }
        try check.folder.write(entries, "dogs")

        #expect(
            try await check.run(.check, [], body: check.recorded).map(\.message) == [
                "Nothing was compared. Recordings/dogs.har has no entry of this test."
            ])
    }

    @Test(arguments: [nil, "strict"])
    func strictCheckMakesWarningsFail(mode: String?) async throws {
        try check.record()
        check.response.withLock {
            $0.body = check.recorded.replacing(#""breed""#, with: #""race""#)
        }

        let issues = try await issues(in: mode.map { ["APIKIT_CHECK": $0] } ?? [:])

        #expect(issues.map(\.isWarning) == [mode == nil])
    }

    #if compiler(>=6.2)
    @Test func summaryOfACheckIsWrittenToStandardError() async throws {
        let result = try await #require(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            let tests = try CheckReportTests()
            try tests.check.record(["dogs", "cats"])
            tests.check.response.withLock { $0.body = tests.check.recorded }
            _ = try await tests.issues()
        }

        let line =
            "Recordings/dogs.har: 1 compared by body, 0 by head only, 1 not compared: entry 2 not "
            + "requested.\n"
        #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains(line))
    }
    #endif
}
