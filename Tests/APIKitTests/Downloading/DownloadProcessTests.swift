#if (os(macOS) || os(Linux)) && compiler(>=6.3)
import APIKit
import APIKitTesting
import Foundation
import Testing

/// Downloads of several processes to one file.
@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct DownloadProcessTests: DownloadSuite {
    let folder: TemporaryDirectory
    private static let bytes = Data.periodic(200_000)

    init() throws { folder = try TemporaryDirectory() }

    @Test func downloadToFileOfAnotherProcessIsRefused() async throws {
        let (body, download) = try await start(sending: "first")

        await #expect(processExitsWith: .success) { [path = file.path as String] in
            await expectError(.invalidRequest("another download to \(path) is under way")) {
                try await APIClient.make().download(EchoRequest(), to: URL(filePath: path))
            }
        }

        body.finish()
        _ = try await download.value
        try expectFile("first")
    }

    @Test func downloadContinuesAfterItsProcessWasKilled() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = file.path as String] in
            let body = HeldBody()
            let server = MockServer { _ in .stream(body.chunks).header("ETag", "\"1\"") }
            body.send(Self.bytes.prefix(90_000))
            try await APIClient.make(transport: server.session)
                .download(EchoRequest(), to: URL(filePath: path)) { step in
                    if step.completedBytes == 90_000 { kill(getpid(), SIGKILL) }
                }
            body.finish()
        }
        let server = MockServer { _ in .tagged(Self.bytes) }

        try await APIClient.make(transport: server.session).download(EchoRequest(), to: file)

        #expect(server.requests.map(\.rangeStart) == [90_000])
        try expectFile(Self.bytes)
    }

    /// On a case-sensitive volume, a hard link simulates the second spelling.
    @Test func twoSpellingsOfANameShareOneLock() async throws {
        let (body, first) = try await start()
        if !TemporaryDirectory.ignoresCase {
            try FileManager.default.linkItem(
                at: folder.url(".report.partial"), to: folder.url(".REPORT.partial"))
        }

        let error = await #expect(throws: APIError.self) {
            try await download(to: folder.url("REPORT"))
        }

        #expect(error?.description.hasSuffix("is under way.") == true)
        body.finish()
        _ = try await first.value
    }

    @Test func downloadContinuesAfterTheDiskWasFull() async throws {
        await #expect(processExitsWith: .success) { [path = file.path as String] in
            let body = HeldBody()
            let server = MockServer { _ in .stream(body.chunks).header("ETag", "\"1\"") }
            body.send(Self.bytes.prefix(90_000))
            body.send(Self.bytes.dropFirst(90_000))
            body.finish()

            try await withFullDisk(after: 100_000) {
                let error = await expectError(.file(URL(filePath: path))) {
                    try await APIClient.make(transport: server.session)
                        .download(EchoRequest(), to: URL(filePath: path))
                }
                #expect(error?.description.contains("\(path) cannot be read or written") == true)
            }
        }
        #expect(try Data(contentsOf: folder.url(".report.partial")).count == 90_000)
        let server = MockServer { _ in .tagged(Self.bytes) }

        try await APIClient.make(transport: server.session).download(EchoRequest(), to: file)

        #expect(server.requests.map(\.rangeStart) == [90_000])
        try expectFile(Self.bytes)
    }
}

extension TemporaryDirectory {
    /// Whether the volume of temporary files is case-insensitive.
    fileprivate static var ignoresCase: Bool {
        let folder = try? TemporaryDirectory()
        _ = try? folder?.file("name")
        return folder?.text("NAME") != nil
    }
}
#endif
