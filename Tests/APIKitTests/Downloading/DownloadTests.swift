import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct DownloadTests: DownloadSuite {
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    // MARK: - The file

    @Test func downloadWritesBodyToFileOnly() async throws {
        server.on(.get("/v1/echo"), reply: .text("report").header("ETag", "\"1\""))

        let response = try await download()

        #expect(response.value == file)
        #expect(response.statusCode == 200)
        try expectFile("report")
    }

    @Test func emptyBodyCreatesEmptyFile() async throws {
        server.on(.get("/v1/echo"))

        try await download()

        #expect(folder.text("report")?.isEmpty == true)
    }

    @Test func fileIsReplacedAtEndOfDownload() async throws {
        try Data("old".utf8).write(to: file)
        let (body, download) = try await start(sending: "new")

        #expect(folder.text("report") == "old")
        body.finish()
        _ = try await download.value

        try expectFile("new")
    }

    @Test(arguments: [
        MockResponse.text("0123456789").truncated(after: 4), .text("0123456789", status: 404),
        .failure(.timedOut), .text("0123").header("Content-Length", "10"),
        .text("0123456789").header("Content-Length", "4"),
    ])
    func failedDownloadLeavesFileUnchanged(response: MockResponse) async throws {
        server.on(.get("/v1/echo"), reply: response)
        try Data("old".utf8).write(to: file)

        await #expect(throws: APIError.self) { try await download() }

        try expectFile("old")
    }

    @Test func canceledDownloadLeavesFileUnchanged() async throws {
        try Data("old".utf8).write(to: file)
        let (body, download) = try await start(sending: "new")

        download.cancel()

        await #expect(throws: CancellationError.self) { try await download.value }
        try await body.untilEnded()
        try expectFile("old")
    }

    @Test func requestedRangeIsWritten() async throws {
        server.on(
            .get("/v1/echo").header("Range", "bytes=2-4"),
            reply: .text("234", status: 206).header("Content-Range", "bytes 2-4/10")
                .header("ETag", "\"1\""))
        let request = EchoRequest { try URLRequest(.get, "echo", headers: ["Range": "bytes=2-4"]) }

        try await client().download(request, to: file)

        #expect(folder.text("report") == "234")
    }

    // MARK: - Progress

    @Test func progressIsReportedInOrder() async throws {
        let chunks = (1...50).map { Data(repeating: 0, count: $0) }
        server.on(.get("/v1/echo"), reply: .stream(chunks).header("Content-Length", "1275"))
        let (steps, isReporting) = (Locked<[TransferProgress]>([]), Locked(false))

        try await client().download(EchoRequest(), to: file) { progress in
            #expect(
                !isReporting.withLock { flag in
                    defer { flag = true }
                    return flag
                })
            steps.append(progress)
            isReporting.set(false)
        }

        let completed = steps.current.map(\.completedBytes)
        #expect(completed == completed.sorted())
        #expect(completed.first == 0)
        #expect(steps.current.last == TransferProgress(completedBytes: 1275, totalBytes: 1275))
        #expect(steps.current.last?.fraction == 1)
    }

    @Test @MainActor func progressIsReportedOnTheActorOfItsClosure() async throws {
        server.on(.get("/v1/echo"), reply: .text("report"))
        var steps: [TransferProgress] = []

        try await client().download(EchoRequest(), to: file) { @MainActor in steps.append($0) }

        #expect(steps.last == TransferProgress(completedBytes: 6, totalBytes: 6))
    }

    @Test func unknownTotalIsReportedAtTheEnd() async throws {
        server.on(.get("/v1/echo"), reply: .stream([Data("one".utf8)]))
        let steps = Locked<[TransferProgress]>([])

        try await client().download(EchoRequest(), to: file) { steps.append($0) }

        #expect(
            steps.current == [
                TransferProgress(completedBytes: 0, totalBytes: nil),
                TransferProgress(completedBytes: 3, totalBytes: nil),
                TransferProgress(completedBytes: 3, totalBytes: 3),
            ])
        #expect(steps.current.map(\.fraction) == [nil, nil, 1])
    }

    // MARK: - The request

    @Test func acceptEncodingOfRequestIsKept() async throws {
        server.on(.get("/v1/echo").header("Accept-Encoding", "br"))
        let request = EchoRequest {
            try URLRequest(.get, "echo", headers: ["accept-encoding": "br"])
        }

        try await client().download(request, to: file)
    }

    @Test func onlyOneDownloadAtATimeWritesToFile() async throws {
        let (body, first) = try await start()

        let link = folder.url("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url)
        let sameFile = link.appending(path: "report")
        let error = await #expect(throws: APIError.self) { try await download(to: sameFile) }

        #expect(
            error?.description == """
                GET https://api.example.com/v1/echo cannot be sent: another download to \
                \(sameFile.path) is under way.
                """)
        body.send("first")
        body.finish()
        _ = try await first.value
        #expect(folder.text("report") == "first")
        server.on(.get("/v1/echo"), reply: .text("later"))
        try await download()
        #expect(folder.text("report") == "later")
    }

    // MARK: - Files that cannot be written

    /// The reasons why a file cannot be written.
    enum Obstacle: CaseIterable {
        case noFolder, isFolder, partialIsFolder, nameTooLong, versionNameTooLong

        var name: String {
            switch self {
            case .noFolder: "missing/report"
            case .isFolder, .partialIsFolder: "report"
            case .nameTooLong: String(repeating: "x", count: 256)
            case .versionNameTooLong: String(repeating: "x", count: 244)
            }
        }

        var folder: String? {
            switch self {
            case .noFolder, .nameTooLong, .versionNameTooLong: nil
            case .isFolder: "report"
            case .partialIsFolder: ".report.partial"
            }
        }

        /// The reason in the error, if it is the same on every platform.
        var reason: String {
            switch self {
            case .noFolder: "No such file or directory."
            case .isFolder: "Is a directory."
            case .partialIsFolder: ""
            case .nameTooLong, .versionNameTooLong: "File name too long."
            }
        }
    }

    @Test(arguments: Obstacle.allCases)
    func errorSaysWhyFileCannotBeWritten(obstacle: Obstacle) async throws {
        server.on(.any, reply: .text("report"), times: .anyNumber)
        let file = folder.url(obstacle.name)
        if let name = obstacle.folder {
            try FileManager.default.createDirectory(
                at: folder.url(name), withIntermediateDirectories: false)
            try Data("kept".utf8).write(to: folder.url("\(name)/kept"))
        }

        let error = await expectError(.file(file)) { try await download(to: file) }
        let words = """
            GET https://api.example.com/v1/echo failed: the file \(file.path) cannot be read or \
            written: \(obstacle.reason)
            """
        #expect(error?.description.hasPrefix(words) == true)
        // The download keeps the user's files, and deletes its partial file.
        if let name = obstacle.folder { #expect(folder.text("\(name)/kept") == "kept") }
        #expect(try folder.names == [obstacle.folder].compactMap { $0 })
    }

    @Test(arguments: ["https://example.com/report", "report"])
    func destinationMustBeAFileURL(url: String) async throws {
        let url = try URL.make(url)

        let error = await #expect(throws: APIError.self) { try await download(to: url) }

        #expect(
            error?.description == """
                GET https://api.example.com/v1/echo cannot be sent: \(url) is not a file URL.
                """)
    }
}
