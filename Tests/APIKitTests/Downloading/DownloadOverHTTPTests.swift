import APIKit
import APIKitTesting
import Foundation
import Testing

/// Downloads over real connections.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct DownloadOverHTTPTests {
    private let folder: TemporaryDirectory
    private let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 5) })
    private let closed = Waiter<Void>()
    private var file: URL { folder.url("report") }

    init() throws { folder = try TemporaryDirectory() }

    private func client(
        of server: LoopbackServer, _ interceptors: any APIInterceptor...
    ) -> APIClient {
        .make(baseURL: server.url("/v1"), transport: URLSession.plain(), interceptors: interceptors)
    }

    /// Sends the requested range of the content, up to a limit.
    private static func send(
        _ content: Data, upTo limit: Int = .max, for request: LoopbackServer.Request,
        to connection: LoopbackConnection
    ) {
        let start =
            request.header("Range")
            .flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
        let range = "Content-Range: bytes \(start)-\(content.count - 1)/\(content.count)"
        connection.write(
            LoopbackServer.head(
                start == 0 ? 200 : 206,
                ["ETag: \"1\"", "Content-Length: \(content.count - start)"]
                    + (start == 0 ? [] : [range])))
        connection.write(content[start..<min(content.count, start + min(limit, content.count))])
    }

    @Test func downloadContinuesAfterLostConnection() async throws {
        let server = try LoopbackServer { [content] request, connection in
            Self.send(content, upTo: 120_000, for: request, to: connection)
        }
        let steps = Locked<[Int]>([])

        let response = try await client(of: server, Retry.immediate).download(
            EchoRequest(), to: file
        ) {
            step in
            #expect(step.totalBytes == 300_000)
            steps.append(step.completedBytes)
        }

        #expect(response.statusCode == 206)
        #expect(try Data(contentsOf: file) == content)
        #expect(try folder.names == ["report"])
        #expect(
            server.requests.map { $0.header("Range") } == [nil, "bytes=120000-", "bytes=240000-"])
        #expect(server.requests.map { $0.header("If-Range") } == [nil, "\"1\"", "\"1\""])
        #expect(server.requests.allSatisfy { $0.header("Accept-Encoding") == "identity" })
        #expect(steps.current == steps.current.sorted())
        #expect(steps.current.last == 300_000)
    }

    @Test func downloadContinuesBehindRedirect() async throws {
        let server = try LoopbackServer { [content] request, connection in
            if request.path == "/v1/echo" {
                connection.write(LoopbackServer.response(302, ["Location: /stored"], body: "moved"))
            } else {
                Self.send(content, upTo: 200_000, for: request, to: connection)
            }
        }

        try await client(of: server, Retry.immediate).download(EchoRequest(), to: file)

        #expect(try Data(contentsOf: file) == content)
        #expect(
            server.requests.map { $0.header("Range") } == [
                nil, nil, "bytes=200000-", "bytes=200000-",
            ])
    }

    @Test(arguments: [nil, 20])
    func compressedDownloadKeepsNoPart(limit: Int?) async throws {
        // "woof " forty times, compressed with gzip.
        let packed = try #require(Data(base64Encoded: "H4sIAAAAAAACAyvPz09TKB/6BADfw3flyAAAAA=="))
        let server = try LoopbackServer { _, connection in
            connection.write(
                LoopbackServer.head(
                    200,
                    ["Content-Encoding: gzip", "ETag: \"1\"", "Content-Length: \(packed.count)"]))
            connection.write(packed.prefix(limit ?? packed.count))
        }
        let client = client(of: server)

        if limit == nil {
            let steps = Locked<[TransferProgress]>([])
            try await client.download(EchoRequest(), to: file) { steps.append($0) }
            #expect(folder.text("report") == String(repeating: "woof ", count: 40))
            #expect(try folder.names == ["report"])
            #expect(steps.current.last == TransferProgress(completedBytes: 200, totalBytes: nil))
        } else {
            await #expect(throws: APIError.self) {
                try await client.download(EchoRequest(), to: file)
            }
            #expect(try folder.names.isEmpty)
        }
    }

    /// Responses whose Content-Length is not the size of their body (RFC 9112, section 6.3).
    enum Misleading: CaseIterable {
        case chunked, head, noContent, notModified

        var method: HTTPMethod { self == .head ? .head : .get }

        var response: String {
            let length = "Content-Length: 1000"
            return switch self {
            case .chunked:
                LoopbackServer.head(200, ["Transfer-Encoding: chunked", length])
                    + "5\r\nwoofs\r\n0\r\n\r\n"
            case .head: LoopbackServer.head(200, [length])
            case .noContent: LoopbackServer.head(204, [length])
            case .notModified: LoopbackServer.head(304, [length])
            }
        }

        var content: String {
            switch self {
            case .chunked: "woofs"
            case .head, .notModified: "old"
            case .noContent: ""
            }
        }
    }

    @Test(arguments: Misleading.allCases)
    func misleadingContentLengthIsIgnored(misleading: Misleading) async throws {
        let server = try LoopbackServer { _ in misleading.response }
        _ = try folder.file("report", Data("old".utf8))

        try await client(of: server).download(DataRequest.anyStatus(misleading.method), to: file)

        #expect(folder.text("report") == misleading.content)
        #expect(try folder.names == ["report"])
    }

    @Test func restOfRefusalIsNotRead() async throws {
        let server = try LoopbackServer { [closed] _, connection in
            connection.write(LoopbackServer.head(404) + String(repeating: "x", count: 1_100_000))
            connection.skipToEnd()
            closed.signal()
        }

        let error = await expectError(.status(404)) {
            try await client(of: server).download(EchoRequest(), to: file)
        }
        #expect(error?.body?.count == 1_000_000)
        try await closed.wait()
        #expect(try folder.names.isEmpty)
    }
}
