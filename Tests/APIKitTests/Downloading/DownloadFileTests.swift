import APIKit
import APIKitTesting
import Foundation
import Testing

/// The permissions, links, and names of the files that a download writes.
@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct DownloadFileTests: DownloadSuite {
    let folder: TemporaryDirectory
    private var partial: URL { folder.url(".report.partial") }

    init() throws { folder = try TemporaryDirectory() }

    /// Downloads a whole file, and returns the starts of the requested ranges.
    private func starts(to file: URL? = nil) async throws -> [Int?] {
        let route = server.on(.get("/v1/echo"), reply: .tagged(content))
        try await client().download(EchoRequest(), to: file ?? self.file)
        #expect(try Data(contentsOf: file ?? self.file) == content)
        return route.requests.map(\.rangeStart)
    }

    // MARK: - Permissions

    @Test func partialFileIsReadableByItsOwnerOnly() async throws {
        try await breakOff()

        #expect(try partial.mode == 0o600)
        #expect(try folder.url(".report.partial-of").mode == 0o600)
    }

    @Test func newFileIsReadableByItsOwnerOnly() async throws {
        _ = try await starts()

        #expect(try file.mode == 0o600)
    }

    @Test(arguments: [0o640, 0o600, 0o444, 0o755])
    func replacedFileKeepsItsPermissions(mode: Int) async throws {
        try folder.file("report").setMode(mode)

        _ = try await starts()

        #expect(try file.mode == mode)
    }

    @Test(arguments: [".report.partial", ".report.partial-of"])
    func partialFileThatOthersCanReachIsNotContinued(name: String) async throws {
        try await breakOff()
        try folder.url(name).setMode(0o666)

        #expect(try await starts() == [nil])
    }

    // MARK: - Links and other kinds of files

    @Test func linkAtTheDestinationIsReplaced() async throws {
        let target = try folder.file("target", Data("kept".utf8))
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: target)

        _ = try await starts()

        #expect(folder.text("target") == "kept")
        #expect(try FileManager.default.destinationOfLink(at: file) == nil)
    }

    @Test func linkAtThePartialNameIsNotFollowed() async throws {
        let target = try folder.file("target", Data("kept".utf8))
        for name in [".report.partial", ".report.partial-of"] {
            try FileManager.default.createSymbolicLink(
                at: folder.url(name), withDestinationURL: target)
        }

        #expect(try await starts() == [nil])

        #expect(folder.text("target") == "kept")
        #expect(try folder.names == ["report", "target"])
    }

    @Test func hardLinkOfPartialFileKeepsItsContent() async throws {
        try await breakOff()
        let target = folder.url("target")
        try FileManager.default.linkItem(at: partial, to: target)

        #expect(try await starts() == [nil])

        #expect(try Data(contentsOf: target) == content.prefix(400))
        #expect(try folder.names == ["report", "target"])
    }

    @Test func pipeIsNotReplaced() async throws {
        try #require(mkfifo(file.path, 0o600) == 0)

        let error = await expectError(.file(file)) { try await download() }
        #expect(error?.description.hasSuffix("it is not a regular file.") == true)
        #expect(try folder.names == ["report"])
    }

    @Test func linkToADirectoryIsNotReplaced() async throws {
        let directory = folder.url("directory")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(at: file, withDestinationURL: directory)

        let error = await #expect(throws: APIError.self) { try await download() }

        #expect((error?.underlying as? POSIXError)?.code == .EISDIR)
    }

    @Test func destinationThatEndsWithASlashIsRefused() async throws {
        let directory = URL(filePath: file.path, directoryHint: .isDirectory)

        let error = await #expect(throws: APIError.self) { try await download(to: directory) }

        #expect(error?.description.contains("is a directory; append the name of a file") == true)
        #expect(try folder.names == [])
    }

    @Test func pipeAtThePartialNameIsDeleted() async throws {
        try #require(mkfifo(partial.path, 0o600) == 0)

        #expect(try await starts() == [nil])

        #expect(try folder.names == ["report"])
    }

    // MARK: - Names

    /// The suffix of the longest name fits into 255 bytes.
    @Test(arguments: [1, 243])
    func downloadToNameOfAnyLengthContinues(length: Int) async throws {
        let file = folder.url(String(repeating: "x", count: length))
        try await breakOff(to: file)

        #expect(try await starts(to: file) == [400])
        #expect(try folder.names == [file.lastPathComponent])
    }

    @Test func relativeFileURLIsResolved() async throws {
        let base = URL(filePath: folder.url.path, directoryHint: .isDirectory)
        let relative = URL(filePath: "report", relativeTo: base)

        #expect(try await starts(to: relative) == [nil])

        #expect(try folder.names == ["report"])
    }

    // MARK: - Failures

    @Test func directoryThatVanishesIsAnError() async throws {
        let directory = folder.url("directory")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        let file = directory.appending(path: "report")
        let (body, download) = try await start(to: file)

        try FileManager.default.removeItem(at: directory)
        body.send("late")
        body.finish()

        let error = await expectError(.file(file)) { try await download.value }
        #expect((error?.underlying as? POSIXError)?.code == .ENOENT)
        #expect(try folder.names.isEmpty)
    }

    @Test func partialFileThatWasReplacedIsNotMoved() async throws {
        let (body, download) = try await start()

        try FileManager.default.removeItem(at: partial)
        _ = try folder.file(".report.partial", Data("planted".utf8))
        body.finish()

        await expectError(.file(file)) { try await download.value }
        #expect(try folder.names == [".report.partial"])
    }
}

extension FileManager {
    /// The target of a symbolic link, or `nil` for other files.
    fileprivate func destinationOfLink(at url: URL) throws -> String? {
        let type = try attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
        return type == .typeSymbolicLink ? try destinationOfSymbolicLink(atPath: url.path) : nil
    }
}

extension URL {
    /// The permissions of the file at this URL.
    fileprivate var mode: Int? {
        get throws {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
    }

    fileprivate func setMode(_ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}

extension DownloadFileTests {
    @Test func interceptorErrorLeavesFileUnchanged() async throws {
        _ = try folder.file("report", Data("old".utf8))
        server.on(.get("/v1/echo"), reply: .text("new").header("ETag", "\"1\""))

        await #expect(throws: URLError.self) {
            try await client(Refusing(refusals: Locked(1))).download(EchoRequest(), to: file)
        }

        try expectFile("old")
    }

    @Test func bodyThatAnInterceptorRefusedIsNotContinued() async throws {
        let route = server.on(.get("/v1/echo"), reply: .tagged(content))

        try await client(RepeatingInterceptor(), Refusing(refusals: Locked(1)))
            .download(EchoRequest(), to: file)

        #expect(route.requests.map(\.rangeStart) == [nil, nil])
        #expect(try Data(contentsOf: file) == content)
    }

    @Test func responseWithOverwrittenBodyIsAnError() async throws {
        server.on(
            .get("/v1/echo"), reply: .text("first"), .text("second").truncated(after: 3), times: 2)

        await expectError(.file(file)) {
            try await client(FirstOfTwo()).download(EchoRequest(), to: file)
        }
        #expect(try folder.names.isEmpty)
    }

    @Test func earlierOfTwoAttemptsStopsWriting() async throws {
        let (body, begun) = (HeldBody(), Waiter<Void>())
        server.on(.get("/v1/echo"), reply: .stream(body.chunks), .text("second"), times: 2)
        let hedging = Hedging(firstHasBegun: begun) {
            body.send("first")
            body.finish()
        }

        try await client(hedging).download(EchoRequest(), to: file) { step in
            if step.completedBytes == 0 { begun.signal() }
        }

        #expect(folder.text("report") == "second")
    }
}

/// An interceptor that refuses responses, as it would for a wrong checksum.
private struct Refusing: APIInterceptor {
    let refusals: Locked<Int>

    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        let response = try await next(call)
        let isRefused = refusals.withLock { left in
            left -= 1
            return left >= 0
        }
        if isRefused { throw URLError(.cannotDecodeContentData) }
        return response
    }
}

/// An interceptor that sends a call twice, and returns the first response.
private struct FirstOfTwo: APIInterceptor {
    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        let response = try await next(call)
        _ = try? await next(call)
        return response
    }
}

/// An interceptor that starts a second attempt during the first one.
private struct Hedging: APIInterceptor {
    let firstHasBegun: Waiter<Void>
    let secondIsComplete: @Sendable () -> Void

    func intercept<Body: Sendable>(
        _ call: APICall,
        next: @escaping APICall.Next<Body>
    ) async throws -> APIResponse<Body> {
        async let first = next(call)
        try await firstHasBegun.value
        let second = try await next(call)
        secondIsComplete()
        _ = try? await first
        return second
    }
}
