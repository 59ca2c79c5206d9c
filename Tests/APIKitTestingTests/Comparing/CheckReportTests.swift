import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// The file of a check, which a job reads.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct CheckReportTests {
    private struct Dog: Decodable, Sendable {
        var id: Int
        var breed: String?
    }

    private struct GetDog: APIRequest {
        typealias ResponseDataType = Dog

        func makeRequest(from path: String) throws -> URLRequest {
            try URLRequest(.get, APIPath(verbatim: path))
        }
    }

    private let folder: RecordingFolder
    private let real: LoopbackServer
    private let body = Locked(#"{"id": 1, "breed": "akita", "tag": 2}"#)

    init() throws {
        folder = try RecordingFolder()
        let body = body
        real = try LoopbackServer { _ in
            LoopbackServer.response(
                200, ["Content-Type: application/json"], body: body.withLock { $0 })
        }
    }

    /// Loads dogs, and returns the failures and warnings.
    private func run(
        _ mode: Cassette.Mode, _ paths: [String] = ["dogs/17"],
        _ environment: [String: String] = [:]
    ) async throws -> [TestFailure] {
        try await TestRun.$current.withValue(TestRun(environment: environment)) {
            let server = MockServer()
            server.replay(folder.moved(Cassette("dogs", mode: mode)))
            let client = APIClient(baseURL: real.url("/"), transport: server.session)
            for path in paths { _ = try await client.load(GetDog(), with: path) }
            return server.state.withLock { $0 }.finish(testHasPassed: true)
        }
    }

    private func report(_ name: String) throws -> CheckReport {
        try JSONDecoder().decode(
            CheckReport.self, from: Data(contentsOf: folder.directory.url(name)))
    }

    private var file: [String: String] {
        ["APIKIT_CHECK_REPORT": folder.directory.url("out/check.json").path(percentEncoded: false)]
    }

    @Test func reportListsEachEntryWithItsChanges() async throws {
        _ = try await run(.all, ["dogs/17", "dogs/cat"])
        body.withLock { $0 = #"{"id": 1, "race": "akita", "tag": 2}"# }

        let issues = try await run(.check, ["dogs/17"], file)
        // A check that says the same adds nothing.
        #expect(try await run(.check, ["dogs/17"], file) == issues)

        let report = try report("out/check.json")
        let entries = report.entries
        #expect(
            report.summary == [
                "Recordings/dogs.har: 1 compared by body, 0 by head only, 1 not compared: entry 2 "
                    + "not requested."
            ])
        #expect(entries.map(\.compared) == [.body, .none])
        #expect(entries.map(\.reason) == [nil, "not requested"])
        #expect(entries.map(\.requestType) == ["GetDog", nil])
        #expect(
            entries.first?.request.hasPrefix("GET http") == true
                && entries.first?.recording == "Recordings/dogs.har")
        #expect(
            entries.first?.changes == [
                .init(
                    severity: .warning, path: "breed",
                    text: "breed is gone; race is new. GetDog reads it."),
                .init(severity: .notice, path: "race", text: "race is new."),
            ])
    }

    @Test func reportReplacesTheEntriesOfAnEarlierRun() async throws {
        _ = try await run(.all)
        let url = folder.directory.url("out/check.json")
        _ = try await run(.check, ["dogs/17"], file)
        let text = try String(contentsOf: url, encoding: .utf8)
        try Data(text.replacing("GetDog", with: "GetCat").utf8).write(to: url)

        _ = try await run(.check, ["dogs/17"], file)

        #expect(try report("out/check.json").entries.map(\.requestType) == ["GetDog"])
    }

    @Test func entryOfAnotherTestIsNotMissed() async throws {
        _ = try await run(.all, ["dogs/17", "dogs/cat"])
        var entries = try folder.entries("dogs")
        try entries.change(at: 1) { $0.test = "another" }
        try folder.write(entries, "dogs")

        _ = try await run(.check, ["dogs/17"], file)

        #expect(try report("out/check.json").entries.map(\.entry) == [1])
    }

    @Test(arguments: [nil, "strict"])
    func strictCheckMakesWarningsFail(mode: String?) async throws {
        _ = try await run(.all)
        body.withLock { $0 = #"{"id": 1}"# }

        let issues = try await run(
            .check, ["dogs/17"], mode.map { ["APIKIT_CHECK": $0] } ?? [:])

        #expect(issues.map(\.isWarning) == [mode == nil])
    }

    @Test func indexListsWhatRequestTypesReadWithoutAServer() async throws {
        _ = try await run(.all, ["dogs/17", "dogs/18"])
        let recorded = folder.text("dogs")
        body.withLock { $0 = "{}" }

        #expect(try await run(.uses, ["dogs/17", "dogs/18"], file) == [])

        let report = try report("out/check.json")
        #expect(report.version == .one && report.entries == [])
        #expect(
            report.uses == [
                .init(
                    method: "GET", path: "/dogs/*", requestType: "GetDog", required: ["id"],
                    read: ["breed"])
            ])
        #expect(folder.text("dogs") == recorded)
    }

    #if compiler(>=6.2)
    @Test func indexWithoutAPathIsWrittenToStandardOutput() async throws {
        let result = try await #require(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            do {
                let tests = try CheckReportTests()
                _ = try await tests.run(.all)
                _ = try await tests.run(.uses)
            }
            // The directory is deleted. The end of an exit test calls no handler of atexit.
            exit(EXIT_SUCCESS)
        }

        let text = String(decoding: result.standardOutputContent, as: UTF8.self)
        let start = try #require(text.firstIndex(of: "{"))
        let report = try JSONDecoder().decode(CheckReport.self, from: Data(text[start...].utf8))
        #expect(report.uses.map(\.path) == ["/dogs/*"] && report.uses.map(\.required) == [["id"]])
    }
    #endif

    @Test func reportOfAnotherFormatIsNotReplaced() async throws {
        _ = try await run(.all)
        let url = folder.directory.url("check.json")
        try Data(#"{"version": 2, "entries": [], "uses": []}"#.utf8).write(to: url)

        let issues = try await run(
            .check, ["dogs/17"], ["APIKIT_CHECK_REPORT": url.path(percentEncoded: false)])

        #expect(
            issues.first?.message.hasSuffix("a file of another format exists. Delete it.") == true)
        #expect(try JSONValue(text: Data(contentsOf: url)).members?["version"] == 2)
    }

    @Test func reportBelowAFileHasTheErrorOfTheSystem() async throws {
        _ = try await run(.all)
        let path = folder.directory.url("check.json").path(percentEncoded: false)
        try Data().write(to: URL(filePath: path))

        let issues = try await run(.check, ["dogs/17"], ["APIKIT_CHECK_REPORT": "\(path)/a.json"])

        let text = try #require(issues.first?.message)
        #expect(text.hasPrefix("The report of the check \(path)/a.json is not written: "))
        #expect(!text.contains("another format"))
    }
}
