import APIKit
import APIKitTesting
import Foundation
import Testing

/// A suite that downloads from its mock server to a file in a folder.
protocol DownloadSuite { var folder: TemporaryDirectory { get } }

extension DownloadSuite {
    var server: MockServer { .current }
    var file: URL { folder.url("report") }
    var content: Data { Data((0..<1000).map { UInt8($0 % 127) }) }

    /// The content with the entity tag "1", on a connection that breaks after some bytes.
    func brokenResponse(after count: Int = 400) -> MockResponse {
        .tagged(content).truncated(after: count)
    }

    func client(
        _ interceptors: any APIInterceptor..., transport: (any HTTPTransport)? = nil
    ) -> APIClient {
        .make(transport: transport ?? server.session, interceptors: interceptors)
    }

    @discardableResult
    func download(
        _ client: APIClient? = nil, to file: URL? = nil
    ) async throws -> APIResponse<URL> {
        try await (client ?? self.client()).download(EchoRequest(), to: file ?? self.file)
    }

    /// Downloads until the connection breaks after 400 bytes.
    func breakOff(
        _ client: APIClient? = nil, _ request: EchoRequest = EchoRequest(), to file: URL? = nil,
        response: MockResponse? = nil
    ) async throws {
        server.on(.any, reply: response ?? brokenResponse(), times: 1)
        await #expect(throws: APIError.self) {
            try await (client ?? self.client()).download(request, to: file ?? self.file)
        }
    }

    /// Starts a download, and waits until the given text has arrived.
    func start(
        _ client: APIClient? = nil, to file: URL? = nil, tag: String? = nil,
        sending text: String = ""
    ) async throws -> (body: HeldBody, download: Task<APIResponse<URL>, any Error>) {
        let (body, arrived) = (HeldBody(), Waiter<Void>())
        let response = MockResponse.stream(body.chunks)
        server.on(
            .get("/v1/echo"), reply: tag.map { response.header("ETag", $0) } ?? response, times: 1)
        let (client, file) = (client ?? self.client(), file ?? self.file)
        let download = Task {
            try await client.download(EchoRequest(), to: file) { step in
                if step.completedBytes == text.utf8.count { arrived.signal() }
            }
        }
        if !text.isEmpty { body.send(text) }
        try await arrived.wait()
        return (body, download)
    }

    /// Expects that the file has the content, and that the folder has no other file.
    func expectFile(
        _ content: Data? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(
            try Data(contentsOf: file) == content ?? self.content, sourceLocation: sourceLocation)
        #expect(try folder.names == ["report"], sourceLocation: sourceLocation)
    }

    /// Expects that the file has the text, and that the folder has no other file.
    func expectFile(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try expectFile(Data(text.utf8), sourceLocation: sourceLocation)
    }
}
