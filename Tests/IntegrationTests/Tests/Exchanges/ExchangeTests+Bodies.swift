import APIKit
import Foundation
import Testing

extension ExchangeTests {
    /// The kinds of bodies, and what a server gets of each.
    enum Kind: CaseIterable {
        case json, form, data, file, multipart

        func body(in folder: URL) throws -> HTTPBody {
            let file = folder.appending(path: "dog.txt")
            try Data("Rex\0\r\n".utf8).write(to: file)
            return switch self {
            case .json: try .json(["name": "Rex & Ünal"])
            case .form: .form(["name": "Rex & Ünal", "n": 1])
            case .data: .data(Data([0, 1, 0xFF, 0x0D, 0x0A]), contentType: "image/x-dog")
            case .file: .file(file, contentType: "text/plain")
            case .multipart: .multipart([.text("name", "Rex"), .file("file", file)])
            }
        }

        /// What a server gets.
        func expected(_ body: HTTPBody) -> Data {
            switch self {
            case .json: Data(#"{"name":"Rex & Ünal"}"#.utf8)
            case .form: Data("name=Rex+%26+%C3%9Cnal&n=1".utf8)
            case .data: Data([0, 1, 0xFF, 0x0D, 0x0A])
            case .file: Data("Rex\0\r\n".utf8)
            case .multipart:
                Data(
                    """
                    --B
                    Content-Disposition: form-data; name="name"

                    Rex
                    --B
                    Content-Disposition: form-data; name="file"; filename="dog.txt"
                    Content-Type: application/octet-stream

                    Rex\0

                    --B--

                    """.replacing("\n", with: "\r\n")
                        .replacing("B", with: body.contentType.split(separator: "=").last ?? "")
                        .utf8)
            }
        }
    }

    private static func withFolder(_ run: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await run(folder)
    }

    @Test(arguments: Backend.allCases, Kind.allCases)
    func sendsABodyOfEachKind(backend: Backend, kind: Kind) async throws {
        try await Self.withFolder { folder in
            let body = try kind.body(in: folder)
            try await backend.run(answering: { Reply(body: .data($0.body)) }) { site in
                let data = try await site.client().load(
                    DataRequest(), with: URLRequest(.post, "dogs", body: body))

                let received = try #require(await site.requests.first)
                #expect(received.method == "POST")
                #expect(received.header("Content-Type") == body.contentType)
                #expect(received.body == kind.expected(body))
                #expect(data == received.body)
            }
        }
    }

    @Test(arguments: Backend.allCases, Kind.allCases)
    func uploadsABodyOfEachKind(backend: Backend, kind: Kind) async throws {
        try await Self.withFolder { folder in
            let body = try kind.body(in: folder)
            try await backend.run(answering: { Reply(body: .data($0.body)) }) { site in
                let steps = ProgressLog()
                let data = try await site.client().upload(
                    DataRequest(), with: URLRequest(.put, "dogs"), from: body
                ) { steps.append($0) }

                let received = try #require(await site.requests.first)
                #expect(received.method == "PUT")
                #expect(received.header("Content-Type") == body.contentType)
                #expect(received.body == kind.expected(body))
                #expect(data == received.body)
                #expect(steps.last?.completedBytes == data.count)
                #expect(steps.last?.totalBytes == data.count)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func echoesALargeBody(backend: Backend) async throws {
        let large = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await backend.run(answering: { Reply(body: .data($0.body)) }) { site in
            let data = try await site.client().upload(
                DataRequest(), with: URLRequest(.post, "dogs"), from: .data(large))

            #expect(data == large)
        }
    }

    @Test(arguments: Backend.allCases)
    func downloadsAFileAndGoesOnWhereItWasLeft(backend: Backend) async throws {
        let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try await Self.withFolder { folder in
            let file = folder.appending(path: "dog")
            try content.prefix(40_000).write(to: folder.appending(path: ".unused"))
            let (chunks, sender) = AsyncStream.makeStream(of: Data.self)
            sender.yield(content.prefix(40_000))
            try await backend.run(answering: { request in
                guard request.header("Range") == "bytes=40000-",
                    request.header("If-Range") == "\"1\""
                else { return Reply(body: .chunks(chunks)).header("ETag", "\"1\"") }
                return Reply(status: 206, body: .data(content.dropFirst(40_000)))
                    .header("ETag", "\"1\"")
                    .header("Content-Range", "bytes 40000-99999/100000")
            }) { site in
                let (reached, mark) = AsyncStream.makeStream(of: Never.self)
                let first = Task {
                    try await site.client().download(
                        DataRequest(), with: URLRequest(.get, "dog"), to: file
                    ) { if $0.completedBytes == 40_000 { mark.finish() } }
                }
                for await _ in reached {}
                first.cancel()
                await #expect(throws: CancellationError.self) { try await first.value }

                try await site.client().download(
                    DataRequest(), with: URLRequest(.get, "dog"), to: file)

                #expect(try Data(contentsOf: file) == content)
                let ranges = await site.requests.map { $0.header("Range") }
                #expect(ranges == [nil, "bytes=40000-"])
                sender.finish()
            }
        }
    }
}

/// A request that is written out where it is sent, and whose answer is bytes.
private struct DataRequest: APIRequest {
    typealias ResponseDataType = Data

    func makeRequest(from request: URLRequest) -> URLRequest { request }
}
