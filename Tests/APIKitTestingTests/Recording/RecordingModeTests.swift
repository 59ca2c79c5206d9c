import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// What each mode of a cassette reads and writes.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct RecordingModeTests {
    private let folder: RecordingFolder

    init() throws {
        folder = try RecordingFolder()
    }

    @Test(arguments: ["", "0", "false", "False"])
    func emptyOrFalseCIVariableHasNoEffect(value: String) {
        #expect(folder.open(folder.cassette(), in: TestRun(environment: ["CI": value])).records)
    }

    @Test func continuousIntegrationKeepsTheOtherModes() {
        let run = TestRun(environment: ["CI": "true"])

        #expect(folder.open(folder.cassette(mode: .newEpisodes), in: run).records)
        #expect(folder.open(folder.cassette(mode: .all), in: run).records)
    }

    @Test(arguments: Cassette.Mode.allCases, [true, false])
    func environmentOverridesTheMode(mode: Cassette.Mode, isUpperCase: Bool) {
        let value = isUpperCase ? mode.rawValue.uppercased() : mode.rawValue
        let run = TestRun(environment: ["APIKIT_RECORD": value, "CI": "1"])

        for own in Cassette.Mode.allCases {
            #expect(folder.open(folder.cassette(mode: own), in: run).mode == mode)
        }
    }

    @Test func unknownModeIsAProblemThatListsTheModes() {
        let run = TestRun(environment: ["APIKIT_RECORD": "always"])

        #expect(
            folder.open(folder.cassette(), in: run).problem == """
                The environment variable APIKIT_RECORD is "always". Set it to one of: once, none, \
                newEpisodes, all, mask, check.
                """)
    }

    @Test func onceRecordsUntilTheRunThatCreatedTheFileEnds() throws {
        let cassette = folder.cassette()
        let file = folder.open(cassette)
        #expect(file.records)
        #expect(file.write([.recent("/a")]) == nil)

        #expect(folder.open(cassette).records)
        #expect(folder.open(cassette).entries.count == 1)
        #expect(!folder.open(cassette, in: .later).records)
        #expect(folder.open(cassette, in: .later).entries.count == 1)
    }

    @Test func fileWithoutEntriesIsNotRecordedAgain() throws {
        try folder.write(#"{"log":{"entries":[]}}"#)

        #expect(!folder.open(folder.cassette()).records)
    }

    @Test func emptyVariableLeavesTheMode() {
        let run = TestRun(environment: ["APIKIT_RECORD": ""])

        #expect(folder.open(folder.cassette(), in: run).records)
        #expect(!folder.open(folder.cassette(mode: .none), in: run).records)
    }

    @Test func newEpisodesKeepsEntriesAndAppendsNewOnes() throws {
        let cassette = folder.cassette(mode: .newEpisodes)
        #expect(folder.open(cassette).write([.recent("/a"), .recent("/b")]) == nil)
        let file = folder.open(cassette, in: .later)

        #expect(file.records)
        #expect(file.entries.count == 2)
        #expect(file.write([.recent("/c"), .recent("/a")]) == nil)
        #expect(try folder.paths() == ["/a", "/b", "/c", "/a"])
    }

    @Test func allReplacesTheEntriesOfEarlierRunsOnly() throws {
        let cassette = folder.cassette(mode: .all)
        #expect(folder.open(cassette).write([.recent("/old"), .recent("/a")]) == nil)
        try folder.makeOld()
        let (first, second) = (folder.open(cassette), folder.open(cassette))

        #expect(first.entries.isEmpty)
        #expect(first.write([.recent("/a")]) == nil)
        #expect(try folder.paths() == ["/a"])
        #expect(second.write([.recent("/b")]) == nil)
        #expect(folder.open(cassette).write([.recent("/c")]) == nil)
        #expect(try folder.paths() == ["/a", "/b", "/c"])
    }

    @Test(arguments: [true, false])
    func testThatRecordsAgainGivesUpItsEntriesOnly(requiresAll: Bool) throws {
        let cassette = folder.cassette(mode: .all, requiresAllEntries: requiresAll)
        let entries = [RecordedExchange.recent("/a", "old"), .recent("/b"), .recent("/c")]
        #expect(folder.open(cassette, test: "T/first").write(entries) == nil)
        #expect(
            folder.open(cassette, test: "T/second").write([.recent("/b"), .recent("/d")]) == nil)
        try folder.makeOld()

        #expect(folder.open(cassette, test: "T/first").write([.recent("/a", "new")]) == nil)

        #expect(try folder.paths() == ["/b", "/d", "/a"])
        #expect(try folder.entries().map(\.test) == ["T/second", "T/second", "T/first"])
        #expect(try folder.entries().last?.response.body == Data("new".utf8))
    }

    @Test func testsWithEqualRequestsHaveAnEntryEach() throws {
        let cassette = folder.cassette()
        let (first, second) = (
            folder.open(cassette, test: "T/1"), folder.open(cassette, test: "T/2")
        )
        #expect(first.write([.recent("/me", "Ada")]) == nil)
        #expect(second.write([.recent("/me", "Ada")]) == nil)

        #expect(try folder.entries().map(\.test) == ["T/1", "T/2"])
    }

    @Test(arguments: [(nil, ["/a"]), ("T/1", ["/a", "/b", "/a"])])
    func sharedEntriesWithoutATestStayIfATestRecordsAgain(test: String?, left: [String]) throws {
        let cassette = folder.cassette(mode: .all, requiresAllEntries: false)
        #expect(
            folder.open(cassette, test: nil).write([.recent("/a", "old"), .recent("/b")]) == nil)
        try folder.makeOld()

        #expect(folder.open(cassette, test: test).write([.recent("/a", "new")]) == nil)

        #expect(try folder.paths() == left)
    }

    @Test func maskModeMasksTheFileByANewRule() throws {
        let old = folder.moved(Cassette("users"))
        let secret = "q7RtZ2kLm9XvB4nW8c"
        #expect(folder.open(old).write([.recent("/a?number=\(secret)")]) == nil)
        let cassette = folder.moved(
            Cassette("users", mode: .mask, redacting: .secrets.adding(values: ["number"])))
        let recorder = folder.moved(
            Cassette("users", mode: .newEpisodes, redacting: .secrets.adding(values: ["number"])))
        let problem = folder.open(recorder).write([.recent("/b?number=\(secret)")])
        #expect(problem?.contains("APIKIT_RECORD=mask swift test") == true)

        let tape = Tape(
            folder.open(cassette), at: SourceCodeLocation(#fileID, #filePath, #line, 1))
        #expect(tape.finish(testHasPassed: true, after: []) == [])

        #expect(folder.text()?.contains(secret) == false)
        #expect(folder.open(recorder).write([.recent("/b?number=\(secret)")]) == nil)
    }

    @Test func maskThatFailsAdvisesNoMask() throws {
        let token = "q8Zt3kLw9Xv2Rb7Nc1Ym"
        let data = Data(#"{"event":"a","token":"\#(token)"}"#.utf8).base64EncodedString()
        try folder.write([.make("GET", "/track?data=\(data)", reply: #"{"token":"\#(token)"}"#)])

        #expect(
            folder.open(folder.cassette(mode: .mask)).write([]) == """
                The recording Recordings/users.har is not written: Entry 1, GET /track: the URL \
                contains a secret that has a placeholder elsewhere, and the recording cannot replace \
                it there. Remove it from what the test sends, or let the server return another value.
                """)
    }

    @Test func entryOfTheFutureIsOfAnEarlierRun() throws {
        let date = Date() + 86_400
        try folder.write([.make("GET", "/a", startedAt: date), .make("GET", "/b", startedAt: date)])

        #expect(!folder.open(folder.cassette()).records)
        #expect(folder.open(folder.cassette(mode: .all)).write([.recent("/a")]) == nil)
        #expect(try folder.paths() == ["/a"])
    }

    @Test func maskModeCreatesNoFile() throws {
        #expect(folder.open(folder.cassette(mode: .all)).write([.recent("/a")]) == nil)
        let bundle = try #require(Bundle(url: folder.directory.url))
        let source = try RecordingFolder()
        let file = folder.open(source.moved(Cassette("users", mode: .mask, in: bundle)))
        #expect(file.problem == nil)

        #expect(file.write([]) == nil)
        #expect(source.names == [])
    }

    @Test func maskModeNeedsAFile() {
        #expect(
            folder.open(folder.cassette(mode: .mask)).problem?.contains("does not exist") == true)
    }
}
