import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn, .timeLimit(.minutes(10))) struct RecordingFileTests {
    private let folder: RecordingFolder
    private let command = "swift test --filter UsersTests/loadsUsers"

    init() throws {
        folder = try RecordingFolder()
    }

    private func open(
        _ cassette: Cassette, in run: TestRun = .local, test: String? = "UsersTests/loadsUsers"
    ) -> RecordingFile {
        RecordingFile(cassette, test: test, in: run)
    }

    private func entry(_ path: String, _ body: String = "") -> RecordedExchange {
        RecordedExchange(
            startedAt: Date(),
            request: RecordedRequest("GET", .make(path)),
            response: RecordedResponse(status: 200, body: Data(body.utf8)))
    }

    private func paths(_ name: String = "users") throws -> [String] {
        try folder.entries(name).map { $0.request.url.path }
    }

    // MARK: Opening

    @Test func missingFileNamesTheCommandThatRecordsIt() {
        let file = open(folder.cassette(mode: .none))

        #expect(
            file.problem == """
                The recording Recordings/users.har does not exist. Record it on your machine, \
                and commit it:
                  APIKIT_RECORD=all \(command)
                With xcodebuild, set TEST_RUNNER_APIKIT_RECORD=all instead.
                """)
        #expect(!file.records)
        #expect(file.command == "APIKIT_RECORD=all \(command)")
    }

    @Test func commandNamesTheSourceFileOfAnUnknownTest() {
        let file = open(folder.cassette(), test: nil)

        #expect(file.command == "APIKIT_RECORD=all swift test --filter UsersTests")
    }

    @Test func commandQuotesTheNameOfATest() {
        let file = open(folder.cassette(), test: "UsersTests/`Ada's list`()")

        #expect(file.command.hasSuffix(#" --filter 'UsersTests/`Ada'\''s list`()'"#))
    }

    @Test(arguments: ["1", "true", "woodpecker"])
    func missingFileOnCINamesTheReason(value: String) {
        let file = open(folder.cassette(), in: TestRun(environment: ["CI": value]))

        #expect(file.mode == .none)
        #expect(
            file.problem == """
                The recording Recordings/users.har does not exist, and the environment variable CI \
                is set. Record it on your machine, and commit it:
                  APIKIT_RECORD=all \(command)
                With xcodebuild, set TEST_RUNNER_APIKIT_RECORD=all instead.
                """)
    }

    @Test(arguments: ["", "0", "false", "False"])
    func emptyOrFalseCIVariableHasNoEffect(value: String) {
        #expect(open(folder.cassette(), in: TestRun(environment: ["CI": value])).records)
    }

    @Test func continuousIntegrationKeepsTheOtherModes() {
        let run = TestRun(environment: ["CI": "true"])

        #expect(open(folder.cassette(mode: .newEpisodes), in: run).records)
        #expect(open(folder.cassette(mode: .all), in: run).records)
    }

    @Test(arguments: Cassette.Mode.allCases, [true, false])
    func environmentOverridesTheMode(mode: Cassette.Mode, isUpperCase: Bool) {
        let value = isUpperCase ? mode.rawValue.uppercased() : mode.rawValue
        let run = TestRun(environment: ["APIKIT_RECORD": value, "CI": "1"])

        for own in Cassette.Mode.allCases {
            #expect(open(folder.cassette(mode: own), in: run).mode == mode)
        }
    }

    @Test func unknownModeIsAProblemThatListsTheModes() {
        let run = TestRun(environment: ["APIKIT_RECORD": "always"])

        #expect(
            open(folder.cassette(), in: run).problem == """
                The environment variable APIKIT_RECORD is "always". Set it to one of: once, none, \
                newEpisodes, all, mask, check, uses.
                """)
    }

    @Test(arguments: [
        "", "/users", "users/", "a//b", "..", "../users", "a/../b", ".", "a\\b", "a\n",
        "users.har", "Recordings/users",
    ])
    func nameOutsideOfTheFolderIsAProblem(name: String) {
        let file = open(folder.cassette(name, mode: .all))

        #expect(file.problem?.contains("is not the name of a recording") == true)
        #expect(!file.records)
    }

    @Test func brokenFileNamesThePlaceAndTheRemedy() throws {
        try folder.write("{\"log\":{\"entries\":[{}]}}")
        let problem = open(folder.cassette()).problem ?? ""

        #expect(
            problem.hasPrefix("The recording Recordings/users.har cannot be read: log.entries[0]"))
        #expect(problem.hasSuffix("or record it again:\n  APIKIT_RECORD=all \(command)"))
    }

    @Test func brokenFileCanBeRecordedAgain() throws {
        try folder.write("{")
        let cassette = folder.cassette(mode: .all)
        let file = open(cassette)

        #expect(file.problem == nil)
        #expect(file.write([entry("/a")]) == nil)
        #expect(try paths() == ["/a"])
    }

    @Test func unreadableFileIsAProblemWithoutThePathOfTheMachine() throws {
        try FileManager.default.createDirectory(
            at: folder.directory.url("Recordings/users.har"), withIntermediateDirectories: true)
        let problem = open(folder.cassette()).problem ?? ""

        #expect(problem.hasPrefix("The recording Recordings/users.har cannot be read: "))
        #expect(!problem.contains(folder.directory.url.lastPathComponent))
    }

    @Test func sourceFolderOfAnotherMachineIsAProblem() throws {
        var cassette = Cassette("users")
        cassette.filePath = "/nowhere/Tests/UsersTests.swift"

        #expect(
            open(cassette).problem == """
                The recording Recordings/users.har cannot be written: the folder of \
                UsersTests.swift is not on this machine. Record it where the source code is, add \
                .copy("Recordings") to the resources of the test target, and pass its bundle: \
                Cassette("users", in: .module).
                """)
        #expect(!FileManager.default.fileExists(atPath: "/nowhere"))
    }

    // MARK: Bundles

    @Test(arguments: ["Recordings/users.har", "users.har"])
    func bundleHoldsTheFile(path: String) throws {
        let device = try RecordingFolder()
        let cassette = folder.cassette(mode: .all)
        #expect(open(cassette).write([entry("/a")]) == nil)
        try FileManager.default.createDirectory(
            at: device.directory.url("Recordings"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: folder.directory.url("Recordings/users.har"), to: device.directory.url(path))
        let bundle = try #require(Bundle(url: device.directory.url))
        var bundled = Cassette("users", in: bundle)
        bundled.filePath = "/nowhere/UsersTests.swift"

        #expect(open(bundled, in: .later).entries.count == 1)
        #expect(open(bundled, in: .later).problem == nil)
    }

    @Test func recordingWithABundleIsBesideTheSourceFile() throws {
        let resources = try TemporaryDirectory()
        let bundle = try #require(Bundle(url: resources.url))
        let cassette = folder.moved(Cassette("users", in: bundle))

        #expect(open(cassette).write([entry("/a")]) == nil)
        #expect(try paths() == ["/a"])
        #expect(open(cassette).records)
        #expect(
            open(cassette, in: .later).problem == """
                The bundle of the test does not contain Recordings/users.har, which exists beside \
                the test. Add .copy("Recordings") to the resources of the test target.
                """)
    }

    // MARK: Modes

    @Test func onceRecordsUntilTheRunThatCreatedTheFileEnds() throws {
        let cassette = folder.cassette()
        let file = open(cassette)
        #expect(file.records)
        #expect(file.write([entry("/a")]) == nil)

        #expect(open(cassette).records)
        #expect(open(cassette).entries.count == 1)
        #expect(!open(cassette, in: .later).records)
        #expect(open(cassette, in: .later).entries.count == 1)
    }

    @Test func fileWithoutEntriesIsNotRecordedAgain() throws {
        try folder.write(#"{"log":{"entries":[]}}"#)

        #expect(!open(folder.cassette()).records)
    }

    @Test func newEpisodesNeedTheSourceFolderOnlyToRecord() throws {
        #expect(open(folder.cassette(mode: .all)).write([entry("/a")]) == nil)
        let bundle = try #require(Bundle(url: folder.directory.url))
        var cassette = Cassette("users", mode: .newEpisodes, in: bundle)
        cassette.filePath = "/nowhere/UsersTests.swift"

        let replayed = open(cassette, in: .later)
        #expect(replayed.problem == nil && !replayed.records && replayed.entries.count == 1)
        var missing = Cassette("others", mode: .newEpisodes, in: bundle)
        missing.filePath = cassette.filePath
        #expect(open(missing).problem?.contains("is not on this machine") == true)
    }

    @Test func missingFileOfABundleIsMissingThere() throws {
        let resources = try TemporaryDirectory()
        let bundle = try #require(Bundle(url: resources.url))
        var cassette = Cassette("users", mode: .none, in: bundle)
        cassette.filePath = "/nowhere/UsersTests.swift"

        #expect(
            open(cassette).problem?.hasPrefix(
                "The recording Recordings/users.har does not exist in the bundle of the test. ")
                == true)
    }

    @Test func emptyVariableLeavesTheMode() {
        let run = TestRun(environment: ["APIKIT_RECORD": ""])

        #expect(open(folder.cassette(), in: run).records)
        #expect(!open(folder.cassette(mode: .none), in: run).records)
    }

    @Test func newEpisodesKeepsEntriesAndAppendsNewOnes() throws {
        let cassette = folder.cassette(mode: .newEpisodes)
        #expect(open(cassette).write([entry("/a"), entry("/b")]) == nil)
        let file = open(cassette, in: .later)

        #expect(file.records)
        #expect(file.entries.count == 2)
        #expect(file.write([entry("/c"), entry("/a")]) == nil)
        #expect(try paths() == ["/a", "/b", "/c", "/a"])
    }

    @Test func allReplacesTheEntriesOfEarlierRunsOnly() throws {
        let cassette = folder.cassette(mode: .all)
        #expect(open(cassette).write([entry("/old"), entry("/a")]) == nil)
        try folder.makeOld()
        let (first, second) = (open(cassette), open(cassette))

        #expect(first.entries.isEmpty)
        #expect(first.write([entry("/a")]) == nil)
        #expect(try paths() == ["/a"])
        #expect(second.write([entry("/b")]) == nil)
        #expect(open(cassette).write([entry("/c")]) == nil)
        #expect(try paths() == ["/a", "/b", "/c"])
    }

    @Test(arguments: [true, false])
    func testThatRecordsAgainGivesUpItsEntriesOnly(requiresAll: Bool) throws {
        let cassette = folder.cassette(mode: .all, requiresAllEntries: requiresAll)
        let entries = [entry("/a", "old"), entry("/b"), entry("/c")]
        #expect(open(cassette, test: "T/first").write(entries) == nil)
        #expect(open(cassette, test: "T/second").write([entry("/b"), entry("/d")]) == nil)
        try folder.makeOld()

        #expect(open(cassette, test: "T/first").write([entry("/a", "new")]) == nil)

        #expect(try paths() == ["/b", "/d", "/a"])
        #expect(try folder.entries().map(\.test) == ["T/second", "T/second", "T/first"])
        #expect(try folder.entries().last?.response.body == Data("new".utf8))
    }

    @Test func testsWithEqualRequestsHaveAnEntryEach() throws {
        let cassette = folder.cassette()
        let (first, second) = (open(cassette, test: "T/1"), open(cassette, test: "T/2"))
        #expect(first.write([entry("/me", "Ada")]) == nil)
        #expect(second.write([entry("/me", "Ada")]) == nil)

        #expect(try folder.entries().map(\.test) == ["T/1", "T/2"])
    }

    @Test(arguments: [(nil, ["/a"]), ("T/1", ["/a", "/b", "/a"])])
    func sharedEntriesWithoutATestStayIfATestRecordsAgain(test: String?, left: [String]) throws {
        let cassette = folder.cassette(mode: .all, requiresAllEntries: false)
        #expect(open(cassette, test: nil).write([entry("/a", "old"), entry("/b")]) == nil)
        try folder.makeOld()

        #expect(open(cassette, test: test).write([entry("/a", "new")]) == nil)

        #expect(try paths() == left)
    }

    @Test func maskModeMasksTheFileByANewRule() throws {
        let old = folder.moved(Cassette("users"))
        let secret = "q7RtZ2kLm9XvB4nW8c"
        #expect(open(old).write([entry("/a?number=\(secret)")]) == nil)
        let cassette = folder.moved(
            Cassette("users", mode: .mask, redacting: .secrets.adding(values: ["number"])))
        let recorder = folder.moved(
            Cassette("users", mode: .newEpisodes, redacting: .secrets.adding(values: ["number"])))
        let problem = open(recorder).write([entry("/b?number=\(secret)")])
        #expect(problem?.contains("APIKIT_RECORD=mask swift test") == true)

        let tape = Tape(
            open(cassette), at: SourceCodeLocation(#fileID, #filePath, #line, 1))
        #expect(tape.finish(testHasPassed: true, after: []) == [])

        #expect(folder.text()?.contains(secret) == false)
        #expect(open(recorder).write([entry("/b?number=\(secret)")]) == nil)
    }

    @Test func maskModeCreatesNoFile() throws {
        #expect(open(folder.cassette(mode: .all)).write([entry("/a")]) == nil)
        let bundle = try #require(Bundle(url: folder.directory.url))
        let source = try RecordingFolder()
        let file = open(source.moved(Cassette("users", mode: .mask, in: bundle)))
        #expect(file.problem == nil)

        #expect(file.write([]) == nil)
        #expect(source.names == [])
    }

    @Test func maskModeNeedsAFile() {
        #expect(open(folder.cassette(mode: .mask)).problem?.contains("does not exist") == true)
    }

    // MARK: Writing

    @Test func equalRequestsOfSeveralArgumentsOfATestAreKeptOnce() throws {
        let cassette = folder.cassette()
        let (first, second) = (open(cassette), open(cassette))
        #expect(first.write([entry("/a", "1"), entry("/b")]) == nil)
        #expect(second.write([entry("/a"), entry("/a", "2"), entry("/c")]) == nil)

        #expect(try paths() == ["/a", "/b", "/a", "/c"])
        let bodies = try folder.entries().map { String(decoding: $0.response.body, as: UTF8.self) }
        #expect(bodies == ["1", "", "2", ""])
    }

    @Test func secondWriteAddsOnlyNewEntries() throws {
        let cassette = folder.cassette(mode: .all)
        let file = open(cassette)
        let entries = [entry("/a"), entry("/a"), entry("/b")]

        #expect(file.write(Array(entries.prefix(1))) == nil)
        #expect(file.write(entries) == nil)
        #expect(try paths() == ["/a", "/a", "/b"])
    }

    @Test func concurrentTestsLoseAndDuplicateNothing() async throws {
        let cassette = folder.cassette()
        let entries = (0..<8).map { [entry("/same"), entry("/\($0)")] }
        let files = (0..<8).map { _ in open(cassette) }

        await withTaskGroup(of: String?.self) { group in
            for (file, entries) in zip(files, entries) {
                group.addTask { file.write(entries) }
            }
            for await problem in group { #expect(problem == nil) }
        }

        #expect(try paths().sorted() == (["/same"] + (0..<8).map { "/\($0)" }).sorted())
        #expect(folder.names == ["users.har"])
    }

    @Test func writerWaitsForTheLockOfAnotherProcess() async throws {
        let cassette = folder.cassette()
        try folder.write("", "other")
        let path = folder.directory.url("Recordings").path(percentEncoded: false)
        // A lock belongs to its descriptor, so this is the same as one of another process.
        let descriptor = Foundation.open(path, O_RDONLY)
        #expect(flock(descriptor, LOCK_EX) == 0)
        let (file, entry) = (open(cassette), entry("/b"))
        let writing = Task { try await Blocking.run { _ in file.write([entry]) } }
        // Without the lock, the file appears after some of these steps.
        for _ in 0..<1_000 where folder.text() == nil { await Task.yield() }
        #expect(folder.text() == nil)
        // Without the lock of this test, because it already has it.
        let data = try HARFile(entries: [self.entry("/a")]).data
        try data.write(to: folder.directory.url("Recordings/users.har"), options: .atomic)
        close(descriptor)

        #expect(try await writing.value == nil)
        #expect(try Set(paths()) == ["/a", "/b"])
    }

    @Test func fileThatCannotBeWrittenIsAProblemAndLeavesNothingBehind() throws {
        let cassette = folder.cassette()
        let file = open(cassette)
        try FileManager.default.createDirectory(
            at: folder.directory.url("Recordings/users.har"), withIntermediateDirectories: true)
        let problem = file.write([entry("/a")]) ?? ""

        #expect(problem.hasPrefix("The recording Recordings/users.har is not written: "))
        #expect(!problem.contains(folder.directory.url.lastPathComponent))
        #expect(folder.names == ["users.har"])
    }

    @Test(arguments: ["shared.har", "../shared.har"])
    func symbolicLinkStays(target: String) throws {
        let link = folder.directory.url("Recordings/users.har")
        try folder.write("{", "shared")
        _ = try folder.directory.file("shared.har", Data("{".utf8))
        let path = link.path(percentEncoded: false)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)

        #expect(open(folder.cassette(mode: .all)).write([entry("/a")]) == nil)
        let written = folder.directory.url("Recordings/\(target)")
        #expect(try HARFile(data: Data(contentsOf: written)).entries.count == 1)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == target)
    }

    @Test(arguments: [0o600, 0o640, 0o666])
    func rewrittenFileKeepsItsPermissions(mode: Int) throws {
        try folder.write("{")
        let path = folder.directory.url("Recordings/users.har").path(percentEncoded: false)
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: path)

        #expect(open(folder.cassette(mode: .all)).write([entry("/a")]) == nil)
        #expect(try paths() == ["/a"])
        #expect(try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
    }

    @Test func folderThatIsAFileIsAProblem() throws {
        _ = try folder.directory.file("Recordings")
        let problem = open(folder.cassette()).problem

        #expect(
            problem?.hasPrefix(
                "The recording Recordings/users.har cannot be read: Not a directory.")
                == true)
        #expect(try folder.directory.names == ["Recordings"])
    }

    @Test func folderThatBecomesAFileIsAProblem() throws {
        let file = open(folder.cassette())
        _ = try folder.directory.file("Recordings")

        #expect(
            file.write([entry("/a")])
                == "The recording Recordings/users.har is not written: File exists.")
    }

    @Test func fileThatBreaksDuringTheTestIsNotReplaced() throws {
        let cassette = folder.cassette(mode: .newEpisodes)
        let file = open(cassette)
        try folder.write("{")

        #expect(file.write([entry("/a")])?.contains("is broken: ") == true)
        #expect(folder.text() == "{")
    }

    @Test func leakPreventsTheFile() throws {
        let cassette = folder.cassette()
        let file = open(cassette)
        let secret = "q8Zt3kLw9Xv2Rb7Nc1Ym"
        var leak = entry("/a").sending(
            fields: [HeaderField(name: "Authorization", value: "Bearer \(secret)")])
        // A placeholder cannot replace a secret within binary data.
        leak.response.body = Data(secret.utf8) + [0xFF, 0]
        let problem = try #require(file.write([leak]))

        #expect(problem.hasPrefix("The recording Recordings/users.har is not written: "))
        #expect(!problem.contains(secret))
        #expect(folder.text() == nil)
    }

    @Test func lengthOfARedactedBodyFits() throws {
        let cassette = folder.cassette()
        let file = open(cassette)
        var login = entry("/login", #"{"access_token":"0123456789-0123456789-0123456789"}"#)
        let length = HeaderField(name: "Content-Length", value: "\(login.response.body.count)")
        let type = HeaderField(name: "Content-Type", value: "application/json")
        login.response.fields = [length, type]

        #expect(file.write([login]) == nil)
        let response = try #require(try folder.entries().first?.response)
        #expect(!String(decoding: response.body, as: UTF8.self).contains("0123456789"))
        #expect(response.fields.first?.value == "\(response.body.count)")
    }
}
