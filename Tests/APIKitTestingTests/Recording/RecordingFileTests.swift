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

    @Test func missingFileNamesTheCommandThatRecordsIt() {
        let file = folder.open(folder.cassette(mode: .none))

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
        let file = folder.open(folder.cassette(), test: nil)

        #expect(file.command == "APIKIT_RECORD=all swift test --filter UsersTests")
    }

    @Test func commandQuotesTheNameOfATest() {
        let file = folder.open(folder.cassette(), test: "UsersTests/`Ada's list`()")

        #expect(file.command.hasSuffix(#" --filter 'UsersTests/`Ada'\''s list`()'"#))
    }

    @Test(arguments: ["1", "true", "woodpecker"])
    func missingFileOnCINamesTheReason(value: String) {
        let file = folder.open(folder.cassette(), in: TestRun(environment: ["CI": value]))

        #expect(file.mode == .none)
        #expect(
            file.problem == """
                The recording Recordings/users.har does not exist, and the environment variable CI \
                is set. Record it on your machine, and commit it:
                  APIKIT_RECORD=all \(command)
                With xcodebuild, set TEST_RUNNER_APIKIT_RECORD=all instead.
                """)
    }

    @Test(arguments: [
        "", "/users", "users/", "a//b", "..", "../users", "a/../b", ".", "a\\b", "a\n",
        "users.har", "Recordings/users",
        // Windows cannot check these out.
        "a?", "a:b", "a|b", "a*", "<a>", "\"a\"", "users.", "a /b", "Con", "aux/users", "lpt1.a.b",
    ])
    func nameOutsideOfTheFolderIsAProblem(name: String) {
        let file = folder.open(folder.cassette(name, mode: .all))

        #expect(file.problem?.contains("is not the name of a recording") == true)
        #expect(!file.records)
    }

    @Test func brokenFileNamesThePlaceAndTheRemedy() throws {
        try folder.write("{\"log\":{\"entries\":[{}]}}")
        let problem = folder.open(folder.cassette()).problem ?? ""

        #expect(
            problem.hasPrefix("The recording Recordings/users.har cannot be read: log.entries[0]"))
        #expect(problem.hasSuffix("or record it again:\n  APIKIT_RECORD=all \(command)"))
    }

    @Test func brokenFileCanBeRecordedAgain() throws {
        try folder.write("{")
        let cassette = folder.cassette(mode: .all)
        let file = folder.open(cassette)

        #expect(file.problem == nil)
        #expect(file.write([.recent("/a")]) == nil)
        #expect(try folder.paths() == ["/a"])
    }

    @Test func unreadableFileIsAProblemWithoutThePathOfTheMachine() throws {
        try FileManager.default.createDirectory(
            at: folder.directory.url("Recordings/users.har"), withIntermediateDirectories: true)
        let problem = folder.open(folder.cassette()).problem ?? ""

        #expect(problem.hasPrefix("The recording Recordings/users.har cannot be read: "))
        #expect(!problem.contains(folder.directory.url.lastPathComponent))
    }

    @Test(arguments: ["0", "1"])
    func sourceFolderOfAnotherMachineIsAProblem(variableCI: String) throws {
        var cassette = Cassette("users")
        cassette.filePath = "/nowhere/Tests/UsersTests.swift"

        let file = folder.open(cassette, in: TestRun(environment: ["CI": variableCI]))

        #expect(
            file.problem == """
                The recording Recordings/users.har cannot be read or written: the folder of \
                UsersTests.swift is not on this machine. Record it where the source code is, add \
                .copy("Recordings") to the resources of the test target, and pass its bundle: \
                Cassette("users", in: .module).
                """)
        #expect(!FileManager.default.fileExists(atPath: "/nowhere"))
    }

    @Test(arguments: ["Recordings/users.har", "users.har"])
    func bundleHoldsTheFile(path: String) throws {
        let device = try RecordingFolder()
        let cassette = folder.cassette(mode: .all)
        #expect(folder.open(cassette).write([.recent("/a")]) == nil)
        try FileManager.default.createDirectory(
            at: device.directory.url("Recordings"), withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: folder.directory.url("Recordings/users.har"), to: device.directory.url(path))
        let bundle = try #require(Bundle(url: device.directory.url))
        var bundled = Cassette("users", in: bundle)
        bundled.filePath = "/nowhere/UsersTests.swift"

        #expect(folder.open(bundled, in: .later).entries.count == 1)
        #expect(folder.open(bundled, in: .later).problem == nil)
    }

    @Test func recordingWithABundleIsBesideTheSourceFile() throws {
        let resources = try TemporaryDirectory()
        let bundle = try #require(Bundle(url: resources.url))
        let cassette = folder.moved(Cassette("users", in: bundle))

        #expect(folder.open(cassette).write([.recent("/a")]) == nil)
        #expect(try folder.paths() == ["/a"])
        #expect(folder.open(cassette).records)
        #expect(
            folder.open(cassette, in: .later).problem == """
                The bundle of the test does not contain Recordings/users.har, which exists beside \
                the test. Add .copy("Recordings") to the resources of the test target.
                """)
    }

    @Test func newEpisodesNeedTheSourceFolderOnlyToRecord() throws {
        #expect(folder.open(folder.cassette(mode: .all)).write([.recent("/a")]) == nil)
        let bundle = try #require(Bundle(url: folder.directory.url))
        var cassette = Cassette("users", mode: .newEpisodes, in: bundle)
        cassette.filePath = "/nowhere/UsersTests.swift"

        let replayed = folder.open(cassette, in: .later)
        #expect(replayed.problem == nil && !replayed.records && replayed.entries.count == 1)
        var missing = Cassette("others", mode: .newEpisodes, in: bundle)
        missing.filePath = cassette.filePath
        #expect(folder.open(missing).problem?.contains("is not on this machine") == true)
    }

    @Test func missingFileOfABundleIsMissingThere() throws {
        let resources = try TemporaryDirectory()
        let bundle = try #require(Bundle(url: resources.url))
        var cassette = Cassette("users", mode: .none, in: bundle)
        cassette.filePath = "/nowhere/UsersTests.swift"

        #expect(
            folder.open(cassette).problem?.hasPrefix(
                "The recording Recordings/users.har does not exist in the bundle of the test. ")
                == true)
    }

    @Test func folderThatIsAFileIsAProblem() throws {
        _ = try folder.directory.file("Recordings")
        let problem = folder.open(folder.cassette()).problem

        #expect(
            problem?.hasPrefix(
                "The recording Recordings/users.har cannot be read: Not a directory.")
                == true)
        #expect(try folder.directory.names == ["Recordings"])
    }
}
