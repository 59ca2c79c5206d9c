import APIKit
import APIKitTesting
import Foundation
import Testing

/// Downloads over real connections.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct DownloadOverHTTPTests {
    private let folder: TemporaryDirectory
    private var file: URL { folder.url("report") }

    init() throws { folder = try TemporaryDirectory() }

    private func client(
        of server: LoopbackServer, _ interceptors: any APIInterceptor...
    ) -> APIClient {
        .make(baseURL: server.url("/v1"), transport: URLSession.plain(), interceptors: interceptors)
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
            #expect(steps.current.last == TransferProgress(completedBytes: 200, totalBytes: 200))
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
}
