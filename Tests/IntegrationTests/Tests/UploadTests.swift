import APIKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct UploadTests {
    let directory: TemporaryDirectory
    let progress = ProgressLog()

    init() throws { directory = try TemporaryDirectory() }

    /// Uploads a body with a request, and returns the text of the answer.
    @discardableResult
    func upload(
        _ body: HTTPBody,
        with request: URLRequest,
        in session: URLSession = .make(),
        interceptors: [any APIInterceptor] = []
    ) async throws -> String {
        let client = APIClient(transport: session, interceptors: interceptors)
        return try await client.upload(
            TextRequest(), with: request, from: body, progress: progress.append)
    }

    @Test(arguments: UploadKind.allCases)
    func sendsTheExactBytesWithTheirLengthAndType(kind: UploadKind) async throws {
        try await LocalServer.run(answering: { _ in .text("done") }) { server in
            let body = try kind.body(in: directory)
            let content = try body.data()

            let answer = try await upload(body, with: server.request("/photos", method: "POST"))

            let received = try #require(await server.requests.first)
            #expect(answer == "done")
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
    func sendsNoContentTypeForATransportThatIsGivenNone(kind: UploadKind) async throws {
        try await LocalServer.run(answering: { _ in .text("done") }) { server in
            let body = try kind.body(in: directory)

            _ = try await URLSession.make().upload(
                server.request("/photos", method: "PUT"), from: body
            ) { _ in }

            let received = try #require(await server.requests.first)
            #expect(received.body == (try body.data()))
            #expect(received.header("Content-Type") == nil)
        }
    }

    @Test(arguments: UploadKind.allCases)
    func sendsTheWholeBodyAgainForAFurtherAttempt(kind: UploadKind) async throws {
        let count = Lock(0)
        try await LocalServer.run(answering: { _ in
            count.withLock { count in
                count += 1
                return .text("later", status: count == 1 ? 503 : 200)
            }
        }) { server in
            let body = try kind.body(in: directory)
            let content = try body.data()

            try await upload(
                body, with: server.request("/photos", method: "PUT"),
                interceptors: [Retry(baseDelay: .zero)])

            #expect(await server.requests.map(\.body) == [content, content])
            #expect(progress.last?.completedBytes == content.count)
        }
    }

    @Test(arguments: UploadKind.allCases, [307, 308])
    func sendsTheWholeBodyAgainWhereARedirectKeepsIt(kind: UploadKind, status: Int) async throws {
        try await LocalServer.run(answering: { request in
            request.path == "/start" ? .redirect(status, to: "/end") : .text("done")
        }) { server in
            let body = try kind.body(in: directory)
            let content = try body.data()

            try await upload(body, with: server.request("/start", method: "POST"))

            let last = try #require(await server.requests.last)
            #expect(await server.requests.map(\.body) == [content, content])
            #expect(last.header("Content-Type") == body.contentType)
            #expect(last.header("Content-Length") == "\(content.count)")
            #expect(progress.last?.completedBytes == content.count)
        }
    }

    @Test(arguments: UploadKind.allCases, [302, 303])
    func leavesTheBodyOutWhereARedirectDoes(kind: UploadKind, status: Int) async throws {
        try await LocalServer.run(answering: { request in
            request.path == "/start" ? .redirect(status, to: "/end") : .text("done")
        }) { server in
            let body = try kind.body(in: directory)

            try await upload(body, with: server.request("/start", method: "POST"))

            let last = try #require(await server.requests.last)
            #expect(await server.requests.map(\.method) == ["POST", "GET"])
            #expect(last.body.isEmpty)
            #expect(last.header("Content-Type") == nil)
            #expect(last.header("Content-Length") ?? "0" == "0")
            #expect(progress.last?.fraction == 1)
        }
    }

    @Test(arguments: [UploadKind.data, .file, .form])
    func sendsTheWholeBodyAgainToLogIn(kind: UploadKind) async throws {
        let delegate = ChallengeDelegate { _ in
            (.useCredential, URLCredential(user: "rex", password: "bone", persistence: .none))
        }
        try await LocalServer.run(answering: { request in
            request.header("Authorization") == "Basic cmV4OmJvbmU="
                ? .text("welcome")
                : .text("who?", status: 401, headers: ["WWW-Authenticate": #"Basic realm="x""#])
        }) { server in
            let body = try kind.body(in: directory)

            let answer = try await upload(
                body, with: server.request("/photos", method: "POST"),
                in: .make(delegate: delegate))

            #expect(answer == "welcome")
            #expect(await server.requests.last?.body == (try body.data()))
            #expect(progress.last?.fraction == 1)
        }
    }

    @Test func sendsATokenAndAnotherWhereThatIsRefused() async throws {
        try await LocalServer.run(answering: { request in
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
