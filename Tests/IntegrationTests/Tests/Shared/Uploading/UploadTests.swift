import APIKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct UploadTests {
    let directory: TemporaryDirectory
    let progress = ProgressLog()

    init() throws { directory = try TemporaryDirectory() }

    /// Uploads a body with a request, and returns the text of the response.
    @discardableResult
    func upload(
        _ body: HTTPBody,
        with request: URLRequest,
        by transport: any HTTPTransport = TransportUnderTest.makeTrusting(),
        interceptors: [any APIInterceptor] = []
    ) async throws -> String {
        let client = APIClient(transport: transport, interceptors: interceptors)
        return try await client.upload(
            TextRequest(), with: request, from: body, progress: progress.append)
    }

    @Test(arguments: UploadKind.allCases, TransportUnderTest.versions)
    func uploadSendsTheBodyWithItsLengthAndType(
        kind: UploadKind, version: HTTPVersion
    ) async throws {
        try await LocalServer.run(over: version) { _ in
            .text("done")
        } while: { server in
            let body = try kind.body(in: directory)
            let content = try body.data()

            let text = try await upload(body, with: server.request("/photos", method: "POST"))

            let received = try #require(await server.requests.first)
            #expect(text == "done")
            #expect(received.body == content)
            #expect(received.header("Content-Length") == "\(content.count)")
            #expect(received.header("Content-Type") == body.contentType)
            #expect(received.header("Transfer-Encoding") == nil)
            #expect(progress.last?.completedBytes == content.count)
            #expect(progress.last?.fraction == 1)
            #expect(await server.requests.count == 1)
        }
    }

    @Test(arguments: [UploadKind.data, .file])
    func transportAddsNoContentType(kind: UploadKind) async throws {
        try await LocalServer.run(respond: { _ in .text("done") }) { server in
            let body = try kind.body(in: directory)

            _ = try await TransportUnderTest.make().upload(
                server.request("/photos", method: "PUT"), from: body
            ) { _ in }

            let received = try #require(await server.requests.first)
            #expect(received.body == (try body.data()))
            #expect(received.header("Content-Type") == nil)
        }
    }

    @Test(arguments: UploadKind.allCases, TransportUnderTest.versions)
    func retrySendsTheWholeBodyAgain(kind: UploadKind, version: HTTPVersion) async throws {
        let count = Locked(0)
        try await LocalServer.run(over: version) { _ in
            count.withLock { count in
                count += 1
                return .text("later", status: count == 1 ? 503 : 200)
            }
        } while: { server in
            let body = try kind.body(in: directory)
            let content = try body.data()

            try await upload(
                body, with: server.request("/photos", method: "PUT"),
                interceptors: [Retry(baseDelay: .zero)])

            #expect(await server.requests.map(\.body) == [content, content])
            #expect(progress.last?.completedBytes == content.count)
        }
    }

    @Test(
        arguments: UploadKind.allCases,
        [302, 303, 307, 308].flatMap { status in TransportUnderTest.versions.map { (status, $0) } })
    func redirectKeepsTheBodyOnlyWithItsMethod(
        kind: UploadKind, example: (status: Int, version: HTTPVersion)
    ) async throws {
        let status = example.status
        try await LocalServer.run(over: example.version) { request in
            request.path == "/start" ? .redirect(status, to: "/end") : .text("done")
        } while: { server in
            let body = try kind.body(in: directory)
            let content = try body.data()

            try await upload(body, with: server.request("/start", method: "POST"))

            let isKept = status >= 307
            let last = try #require(await server.requests.last)
            #expect(await server.requests.map(\.method) == ["POST", isKept ? "POST" : "GET"])
            #expect(await server.requests.map(\.body) == [content, isKept ? content : Data()])
            #expect(last.header("Content-Type") == (isKept ? body.contentType : nil))
            let length = last.header("Content-Length")
            #expect(isKept ? length == "\(content.count)" : length ?? "0" == "0")
            #expect(progress.last?.fraction == 1)
            if isKept { #expect(progress.last?.completedBytes == content.count) }
        }
    }

    @Test func refreshedTokenSendsTheWholeBodyAgain() async throws {
        try await LocalServer.run(respond: { request in
            .text("", status: request.header("Authorization") == "Bearer new" ? 200 : 401)
        }) { server in
            let body = try UploadKind.file.body(in: directory)
            let content = try body.data()

            try await upload(
                body, with: server.request("/photos", method: "POST"),
                interceptors: [BearerAuthentication(OldToken(), hosts: ["127.0.0.1"])])

            #expect(await server.requests.map(\.body) == [content, content])
        }
    }

    private struct OldToken: TokenProvider {
        func token() async throws -> String? { "old" }
        func refresh(replacing token: String) async throws -> String? { "new" }
    }
}
