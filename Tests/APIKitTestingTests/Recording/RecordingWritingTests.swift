import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// How a recording is written, also by several tests at once.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct RecordingWritingTests {
    private let folder: RecordingFolder

    init() throws {
        folder = try RecordingFolder()
    }

    @Test func equalRequestsOfSeveralArgumentsOfATestAreKeptOnce() throws {
        let cassette = folder.cassette()
        let (first, second) = (folder.open(cassette), folder.open(cassette))
        #expect(first.write([.recent("/a", "1"), .recent("/b")]) == nil)
        #expect(second.write([.recent("/a"), .recent("/a", "2"), .recent("/c")]) == nil)

        #expect(try folder.paths() == ["/a", "/b", "/a", "/c"])
        let bodies = try folder.entries().map { String(decoding: $0.response.body, as: UTF8.self) }
        #expect(bodies == ["1", "", "2", ""])
    }

    @Test func secondWriteAddsOnlyNewEntries() throws {
        let cassette = folder.cassette(mode: .all)
        let file = folder.open(cassette)
        let entries = [RecordedExchange.recent("/a"), .recent("/a"), .recent("/b")]

        #expect(file.write(Array(entries.prefix(1))) == nil)
        #expect(file.write(entries) == nil)
        #expect(try folder.paths() == ["/a", "/a", "/b"])
    }

    @Test func concurrentTestsLoseAndDuplicateNothing() async throws {
        let cassette = folder.cassette()
        let entries = (0..<8).map { [RecordedExchange.recent("/same"), .recent("/\($0)")] }
        let files = (0..<8).map { _ in folder.open(cassette) }

        await withTaskGroup(of: String?.self) { group in
            for (file, entries) in zip(files, entries) {
                group.addTask { file.write(entries) }
            }
            for await problem in group { #expect(problem == nil) }
        }

        #expect(try folder.paths().sorted() == (["/same"] + (0..<8).map { "/\($0)" }).sorted())
        #expect(folder.names == ["users.har"])
    }

    @Test func writerWaitsForTheLockOfAnotherProcess() async throws {
        let cassette = folder.cassette()
        try folder.write("", "other")
        let path = folder.directory.url("Recordings").path(percentEncoded: false)
        // A lock belongs to its descriptor, so this is the same as one of another process.
        let descriptor = Foundation.open(path, O_RDONLY)
        #expect(flock(descriptor, LOCK_EX) == 0)
        let (file, entry) = (folder.open(cassette), RecordedExchange.recent("/b"))
        let writing = Task { try await Blocking.run { _ in file.write([entry]) } }
        // Without the lock, the file appears after some of these steps.
        for _ in 0..<1_000 where folder.text() == nil { await Task.yield() }
        #expect(folder.text() == nil)
        // Without the lock of this test, because it already has it.
        let data = try HARFile(entries: [.recent("/a")]).data
        try data.write(to: folder.directory.url("Recordings/users.har"), options: .atomic)
        close(descriptor)

        #expect(try await writing.value == nil)
        #expect(try Set(folder.paths()) == ["/a", "/b"])
    }

    @Test func fileThatCannotBeWrittenIsAProblemAndLeavesNothingBehind() throws {
        let cassette = folder.cassette()
        let file = folder.open(cassette)
        try FileManager.default.createDirectory(
            at: folder.directory.url("Recordings/users.har"), withIntermediateDirectories: true)
        let problem = file.write([.recent("/a")]) ?? ""

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

        #expect(folder.open(folder.cassette(mode: .all)).write([.recent("/a")]) == nil)
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

        #expect(folder.open(folder.cassette(mode: .all)).write([.recent("/a")]) == nil)
        #expect(try folder.paths() == ["/a"])
        #expect(try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
    }

    @Test func folderThatBecomesAFileIsAProblem() throws {
        let file = folder.open(folder.cassette())
        _ = try folder.directory.file("Recordings")

        #expect(
            file.write([.recent("/a")])
                == "The recording Recordings/users.har is not written: File exists.")
    }

    @Test func fileThatBreaksDuringTheTestIsNotReplaced() throws {
        let cassette = folder.cassette(mode: .newEpisodes)
        let file = folder.open(cassette)
        try folder.write("{")

        #expect(file.write([.recent("/a")])?.contains("is broken: ") == true)
        #expect(folder.text() == "{")
    }

    @Test func leakPreventsTheFile() throws {
        let cassette = folder.cassette()
        let file = folder.open(cassette)
        let secret = "q8Zt3kLw9Xv2Rb7Nc1Ym"
        var leak = RecordedExchange.recent("/a").sending(
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
        let file = folder.open(cassette)
        var login = RecordedExchange.recent(
            "/login", #"{"access_token":"0123456789-0123456789-0123456789"}"#)
        let length = HeaderField(name: "Content-Length", value: "\(login.response.body.count)")
        let type = HeaderField(name: "Content-Type", value: "application/json")
        login.response.fields = [length, type]

        #expect(file.write([login]) == nil)
        let response = try #require(try folder.entries().first?.response)
        #expect(!String(decoding: response.body, as: UTF8.self).contains("0123456789"))
        #expect(response.fields.first?.value == "\(response.body.count)")
    }
}
