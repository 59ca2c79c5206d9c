import APIKit
import APIKitTesting
import Foundation
import Testing

extension UploadTests {
    /// An interceptor that retries without a delay.
    private var retry: Retry { Retry(baseDelay: .zero) }

    @Test(arguments: Transport.allCases, UploadKind.allCases)
    func nextAttemptReadsBodyAgain(transport: Transport, kind: UploadKind) async throws {
        let route = server.on(.put("/v1/albums/1"), reply: .status(503), .text("done"), times: 2)
        let body = try kind.body(in: directory)
        let content = try body.data()

        let output = try await upload(body, over: transport, .put, interceptors: [retry])

        #expect(output == "done")
        #expect(route.requests.map(\.body) == [content, content])
        let counts = steps.current.map(\.completedBytes)
        #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 })
        #expect(counts.last == content.count)
    }

    @Test(arguments: [UploadKind.file, .form])
    func nextAttemptSendsChangedFile(kind: UploadKind) async throws {
        let body = try kind.body(in: directory)
        let file = directory.url.appending(path: "photo.png")
        let route = server.on(.put("/v1/albums/1"), times: 2) { [server] _ in
            guard server.requests.count == 1 else { return .text("done") }
            try Data("another".utf8).write(to: file)
            return .status(503)
        }

        try await upload(body, .put, interceptors: [retry])

        #expect(route.requests.last?.body == (try body.data()))
        #expect(try body.data().range(of: Data("another".utf8)) != nil)
    }

    @Test func nextAttemptFailsIfFileIsDeleted() async throws {
        let file = try directory.file()
        server.on(.put("/v1/albums/1"), times: .once) { _ in
            try FileManager.default.removeItem(at: file)
            return .status(503)
        }

        await expectError(.file(file)) {
            try await upload(.file(file), .put, interceptors: [retry])
        }
    }

    @Test func nonIdempotentUploadIsNotRepeated() async throws {
        server.on(.post("/v1/albums/1"), reply: .status(503), times: .once)

        await expectError(.status(503)) {
            try await upload(.data(Data("a".utf8)), interceptors: [retry])
        }
    }

    @Test(arguments: UploadKind.allCases)
    func uploadIsRepeatedWithNewToken(kind: UploadKind) async throws {
        let body = try kind.body(in: directory)
        let content = try body.data()
        let refused = server.on(.post().header("Authorization", "Bearer old"), reply: .status(401))
        let accepted = server.on(
            .post().header("Authorization", "Bearer new"), reply: .text("done"))

        let output = try await upload(
            body, interceptors: [BearerAuthentication(StubTokens("old") { _ in "new" })])

        #expect(output == "done")
        #expect((refused.requests + accepted.requests).map(\.body) == [content, content])
    }

    @Test func deadlineEndsUpload() async throws {
        let clock = ManualClock()
        server.on(.post("/v1/albums/1"), reply: .never)
        let form = try UploadKind.form.body(in: directory)

        let task = Task {
            try await upload(form, interceptors: [Deadline(.seconds(20), clock: clock)])
        }
        _ = try await server.nextRequest()
        clock.advance(by: .seconds(20))

        await expectError(.deadline) { try await task.value }
    }
}
