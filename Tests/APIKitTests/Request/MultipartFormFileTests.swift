import APIKit
import Foundation
import Testing

@Suite(.inTurn) struct MultipartFormFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Bytes that look like parts of a multipart body.
    private static let partLikeBytes = Data(
        "\r\n--\r\n\r\n--B--\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n\0".utf8
            + (0...255).map { UInt8($0) } + "\r".utf8)

    /// Runs a closure with a temporary file that holds a body.
    private func write<Result>(_ body: HTTPBody, _ use: (URL) throws -> Result) throws -> Result {
        guard case (.file, let file?) = try body.uploadSource(in: directory.url) else {
            throw Refusal(reason: "no temporary file")
        }
        return try withExtendedLifetime(file) { try use(file.url) }
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
    func temporaryFileEqualsBodyInMemory(size: Int) throws {
        let content = Data.periodic(size)
        let body = HTTPBody.multipart([
            "name": .text("Ada"), "a": .file(try directory.file("a", content)),
            "b": .data(Self.partLikeBytes), "c": .file(try directory.file("c", Self.partLikeBytes)),
        ])

        let written = try write(body) { try Data(contentsOf: $0) }

        let data = try body.data()
        #expect(written == data)
        #expect(try body.length() == data.count)
        #expect(data.range(of: content + Data("\r\n--APIKit-".utf8)) != nil)
        #expect(data.range(of: Self.partLikeBytes + Data("\r\n--APIKit-".utf8)) != nil)
    }

    @Test func formCanContainAnotherForm() throws {
        let earlier = HTTPBody.multipart(["a": .text("b"), "c": .file(try directory.file("c"))])
        let content = try earlier.data()

        let body = HTTPBody.multipart([
            "data": .data(content), "file": .file(try directory.file("earlier", content)),
        ])

        let boundary = try #require(body.contentType.split(separator: "=").last)
        let parts = try body.data().split(separator: Data("--\(boundary)".utf8))
        #expect(body.contentType != earlier.contentType)
        #expect(parts.count == 3)
        for part in parts.prefix(2) {
            #expect(part.suffix(content.count + 2) == content + Data("\r\n".utf8))
        }
    }

    @Test func temporaryFileIsDeletedAfterLastReference() throws {
        let body = HTTPBody.multipart(["a": .file(try directory.file("a"))])

        let count = try write(body) { _ in try directory.names.count }

        #expect(count == 2)
        #expect(try directory.names == ["a"])
    }

    @Test func temporaryFileIsReadableByItsOwnerOnly() throws {
        let body = HTTPBody.multipart(["a": .file(try directory.file("a"))])

        let permissions = try write(body) {
            try FileManager.default.attributesOfItem(atPath: $0.path)[.posixPermissions] as? Int
        }

        #expect(permissions == 0o600)
    }

    @Test func failedWriteLeavesNoTemporaryFile() throws {
        let missing = directory.url.appending(path: "missing")
        let body = HTTPBody.multipart(["a": .file(try directory.file("a")), "b": .file(missing)])

        expectError(.file(missing)) { try write(body) { _ in } }
        #expect(try directory.names == ["a"])
    }

    @Test func canceledCopyStops() throws {
        let file = try directory.file("a", Data(count: 1_000_000))
        var count = 0

        #expect(throws: CancellationError.self) {
            try HTTPBody.multipart(["a": .file(file)]).uploadSource(in: directory.url) {
                count += 1
                if count == 3 { throw CancellationError() }
            }
        }

        #expect(count == 3)
        #expect(try directory.names == ["a"])
    }

    @Test func temporaryFileThatCannotBeCreatedIsAnError() throws {
        let body = HTTPBody.multipart(["a": .file(try directory.file("a"))])
        let missing = directory.url.appending(path: "missing")

        let error = #expect(throws: APIError.self) { try body.uploadSource(in: missing) }

        #expect(
            error?.description.hasPrefix(
                "The request failed: the file \(missing.path)/APIKit-") == true)
        #expect(error?.description.hasSuffix(": No such file or directory.") == true)
    }

    @Test(arguments: [Data(), Data("longer than before".utf8)])
    func contentOfFileIsReadOnEachUse(content: Data) throws {
        let url = try directory.file("a")
        let body = HTTPBody.multipart(["a": .file(url)])
        _ = try body.length()

        try content.write(to: url)

        let written = try write(body) { try Data(contentsOf: $0) }
        #expect(try written == body.data())
        #expect(try written.count == body.length())
    }

    @Test func largeFileIsReadInSmallPieces() throws {
        let url = try directory.file("big", Data())
        let handle = try FileHandle(forWritingTo: url)
        try handle.truncate(atOffset: 20_000_000)
        try handle.close()
        let form: MultipartForm = ["a": .file(url)]

        var sizes: [Int] = []
        try HTTPBody.multipart(form).forEachPiece { sizes.append($0.count) }

        #expect(sizes.allSatisfy { $0 <= 65_536 })
        #expect(sizes.reduce(0, +) == (try HTTPBody.multipart(form).length()))
        let size = try write(.multipart(form)) {
            try $0.resourceValues(forKeys: [.fileSizeKey]).fileSize
        }
        #expect(size == sizes.reduce(0, +))
    }

    @Test(arguments: 1...10)
    func pieceSizeDoesNotChangeBody(size: Int) throws {
        let form: MultipartForm = [
            "a": .file(try directory.file("a", Data("0123456789".utf8)))
        ]

        var pieces: [Data] = []
        try HTTPBody.multipart(form).forEachPiece(upTo: size) { pieces.append($0) }

        #expect(pieces.dropFirst().dropLast(2).map(\.count).max() == size)
        #expect(try Data(pieces.joined()) == HTTPBody.multipart(form).data())
    }

    #if os(Linux)
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/shm")))
    func formOfFilesThatAreTooLargeIsRefused() throws {
        let file = URL(filePath: "/dev/shm/APIKitTests-\(UUID())")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        // A sparse file takes no memory.
        try #require(truncate(file.path, off_t.max - 4_095) == 0)
        let body = HTTPBody.multipart(["a": .file(file), "b": .file(file)])

        expectError(.invalidRequest("its body is too large")) { try body.length() }
    }
    #endif
}
