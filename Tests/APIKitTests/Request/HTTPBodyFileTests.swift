import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct HTTPBodyFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func fileBodyHasContentOfFile() throws {
        let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 % 251) })
        let file = try directory.file("photo.jpg", content)

        let body = HTTPBody.file(file, contentType: "image/jpeg")

        #expect(body.contentType == "image/jpeg")
        #expect(HTTPBody.file(file).contentType == "application/octet-stream")
        #expect(try body.length() == 100_000)
        #expect(try body.data() == content)
    }

    @Test func fileIsUploadedWithoutCopy() throws {
        let file = try directory.file()

        guard case (.file(let url), nil) = try HTTPBody.file(file).uploadSource() else {
            Issue.record("The file was copied.")
            return
        }

        #expect(url == file)
    }

    @Test func fileIsReadOnAccess() throws {
        let file = directory.url.appending(path: "later")
        let body = HTTPBody.file(file)

        try Data("later".utf8).write(to: file)

        #expect(try body.data() == Data("later".utf8))
    }

    @Test func relativeFileURLIsResolved() throws {
        _ = try directory.file("photo.jpg")

        let base = URL(filePath: directory.url.path, directoryHint: .isDirectory)
        let file = URL(filePath: "photo.jpg", relativeTo: base)

        #expect(try HTTPBody.file(file).data() == Data("content".utf8))
    }

    @Test func symbolicLinkIsFollowed() throws {
        let link = directory.url.appending(path: "link")
        try FileManager.default.createSymbolicLink(
            at: link, withDestinationURL: try directory.file())

        #expect(try HTTPBody.file(link).length() == 7)
        #expect(try HTTPBody.file(link).data() == Data("content".utf8))
    }

    #if canImport(FoundationNetworking)
    /// As many bytes as its size says are none.
    @Test func fileThatStatesNoSizeHasNoLength() throws {
        let file = URL(filePath: "/proc/self/status")

        for body in [HTTPBody.file(file), .multipart(["status": .file(file)])] {
            let error = expectError(.file(file)) { try body.length() }
            expectError(.file(file)) { try body.chunks() }

            #expect(error?.description.hasSuffix("it states no size. Upload a copy of it.") == true)
            #expect(try !body.data().isEmpty)
        }
    }
    #endif

    /// The reasons why a file cannot be read.
    enum Obstacle: CaseIterable {
        case missing, directory, device, unreadable

        var reason: String {
            switch self {
            case .missing: "No such file or directory"
            case .directory, .device: "it is not a regular file"
            case .unreadable: "Permission denied"
            }
        }

        func make(in directory: TemporaryDirectory) throws -> URL {
            let url = directory.url.appending(path: "obstacle")
            switch self {
            case .missing: return url
            case .directory: return directory.url
            case .device: return URL(filePath: "/dev/null")
            case .unreadable:
                _ = try directory.file("obstacle")
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0], ofItemAtPath: url.path)
            }
            return url
        }
    }

    @Test(
        // Root can read every file.
        arguments: Obstacle.allCases.filter { $0 != .unreadable || geteuid() != 0 })
    func unreadableFileIsRefused(obstacle: Obstacle) throws {
        let url = try obstacle.make(in: directory)

        for body in [HTTPBody.file(url), .multipart(["a": .text("b"), "c": .file(url)])] {
            for use in uses(of: body) {
                let error = expectError(.file(url)) { try use() }
                #expect(
                    error?.description == """
                        The request failed: the file \(url.path(percentEncoded: false)) cannot be \
                        read or written: \(obstacle.reason).
                        """)
            }
        }
    }

    @Test func pipeWithoutWriterIsRefused() async throws {
        let pipe = directory.url.appending(path: "pipe")
        mkfifo(pipe.path, 0o600)
        let result = Locked<Result<Int?, any Error>?>(nil)

        DispatchQueue.global().async {
            let length = Result { try HTTPBody.file(pipe).length() }
            result.set(length)
        }
        await until("the pipe is refused") { result.current != nil }
        // Resumes a reader that still waits for a writer.
        close(open(pipe.path, O_WRONLY | O_NONBLOCK))

        expectError(.file(pipe)) { try result.current?.get() }
    }

    @Test(arguments: ["https://h.example/a?secret=hunter2", "/a", "file:a"])
    func nonFileURLIsRefused(text: String) throws {
        let shown = text.replacing("hunter2", with: "***")

        for use in uses(of: .file(try .make(text))) {
            expectError(.invalidRequest("\(shown) is not a file URL")) { try use() }
        }
    }

    /// All operations that read a body.
    private func uses(of body: HTTPBody) -> [() throws -> Void] {
        [
            { _ = try body.length() }, { _ = try body.data() }, { _ = try body.uploadSource() },
            { _ = try URLRequest(.put, "a", body: body) },
        ]
    }
}
