import APIKit
import Foundation
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10))) struct HTTPBodyChunksTests {
    private let directory: TemporaryDirectory
    private static let content = Data.periodic(600_000)

    private var content: Data { Self.content }

    init() throws { directory = try TemporaryDirectory() }

    private func read(_ chunks: ByteStream) async throws -> [Data] {
        try await chunks.reduce(into: []) { $0.append($1) }
    }

    @Test func chunksAddUpToTheBody() async throws {
        let file = try directory.file("photo.jpg", content)
        let bodies: [HTTPBody] = [
            .data(content), .file(file),
            .multipart(["name": .text("Rex"), "a": .file(file), "b": .file(file)]),
        ]
        for body in bodies {
            let (stream, length) = try body.chunks()
            let chunks = try await read(stream)

            #expect(try chunks.reduce(Data(), +) == body.data())
            #expect(chunks.map(\.count).reduce(0, +) == length)
            #expect(try body.length() == length)
            #expect(chunks.allSatisfy { !$0.isEmpty && $0.count <= 1 << 18 })
        }
    }

    @Test func emptyBodyHasNoChunks() async throws {
        for body in [HTTPBody.data(Data()), .file(try directory.file("empty", Data()))] {
            #expect(try await read(body.chunks().stream) == [])
        }
    }

    @Test func eachStreamReadsTheWholeBody() async throws {
        let body = HTTPBody.file(try directory.file("photo.jpg", content))

        #expect(try await read(body.chunks().stream).reduce(Data(), +) == content)
        #expect(try await read(body.chunks().stream).reduce(Data(), +) == content)
    }

    @Test func missingFileIsRefused() throws {
        let missing = directory.url("missing")
        for body in [HTTPBody.file(missing), .multipart(["a": .file(missing)])] {
            expectError(.file(missing)) { try body.chunks() }
        }
    }

    @Test func shortenedFileFailsTheStream() async throws {
        let file = try directory.file("photo.jpg", content)
        let (chunks, _) = try HTTPBody.file(file).chunks()
        try content.prefix(500_000).write(to: file)

        await expectError(.file(file)) { try await read(chunks) }
    }

    @Test func lengthenedFileIsReadUpToItsInitialLength() async throws {
        let file = try directory.file("photo.jpg", content)
        let (chunks, length) = try HTTPBody.file(file).chunks()
        try (content + content).write(to: file)

        #expect(length == content.count)
        #expect(try await read(chunks).reduce(Data(), +) == content)
    }
}
