import APIKit
import APIKitTesting
import Foundation
import Testing

extension UploadTests {
    @Test(arguments: UploadKind.allCases)
    func refusedUploadThrowsBody(kind: UploadKind) async throws {
        server.on(.post("/v1/albums/1"), reply: .text("too large", status: 413))
        let body = try kind.body(in: directory)

        let error = await expectError(.status(413)) { try await upload(body) }
        #expect(error?.body == Data("too large".utf8))
        // An error ends the progress, so steps that are still to be reported are lost.
        let size = try body.data().count
        #expect(steps.current.allSatisfy { $0.completedBytes <= size && $0.totalBytes == size })
    }

    @Test(
        arguments: Transport.allCases,
        // Root can read every file.
        HTTPBodyFileTests.Obstacle.allCases.filter { $0 != .unreadable || geteuid() != 0 })
    func uploadOfUnreadableFileSendsNothing(
        transport: Transport, obstacle: HTTPBodyFileTests.Obstacle
    ) async throws {
        let url = try obstacle.make(in: directory)

        for body in [HTTPBody.file(url), .multipart(["a": "b", "c": .file(url)])] {
            let error = await expectError(.file(url)) { try await upload(body, over: transport) }
            #expect(
                error?.description == """
                    POST https://api.example.com/v1/albums/1 failed: the file \
                    \(url.path(percentEncoded: false)) cannot be read or written: \
                    \(obstacle.reason).
                    """)
        }
        #expect(server.requests.isEmpty)
        #expect(steps.current.isEmpty)
    }

    @Test func pipeIsRefused() async throws {
        let pipe = directory.url.appending(path: "pipe")
        mkfifo(pipe.path, 0o600)

        await expectError(.file(pipe)) { try await upload(.file(pipe)) }
        #expect(server.requests.isEmpty)
    }

    @Test func requestWithBodyIsRefused() async throws {
        let client = APIClient.make(transport: server)
        let file = try directory.file()

        for own in [HTTPBody.data(Data("own".utf8)), .file(file)] {
            let request = EchoRequest { try URLRequest(.post, "echo", body: own) }
            let error = await #expect(throws: APIError.self) {
                try await client.upload(request, from: .file(file))
            }

            #expect(
                error?.description == """
                    POST https://api.example.com/v1/echo cannot be sent: it already has a body, \
                    and cannot upload another.
                    """)
        }
        #expect(server.requests.isEmpty)
    }

    // The loading system would silently omit the body of such a request.
    @Test(arguments: [HTTPMethod.get, .head])
    func methodWithoutBodyIsRefused(method: HTTPMethod) async throws {
        let error = await #expect(throws: APIError.self) {
            try await upload(.data(Data("a".utf8)), method)
        }

        #expect(error?.kind == .invalidRequest("a \(method) request cannot upload a body"))
        #expect(server.requests.isEmpty)
    }

    @Test func contentTypeWithLineBreakIsRefused() async throws {
        let body = HTTPBody.data(Data(), contentType: "text/plain\r\nX-Evil: 1")

        let error = await #expect(throws: APIError.self) { try await upload(body) }

        #expect(
            error?.description == """
                POST https://api.example.com/v1/albums/1 cannot be sent: the value of its header \
                Content-Type contains a line break or NUL.
                """)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: Transport.allCases, UploadKind.allCases)
    func cancelledUploadThrowsAtOnce(transport: Transport, kind: UploadKind) async throws {
        server.on(.post("/v1/albums/1"), reply: .never)
        let body = try kind.body(in: directory)

        let task = Task { try await upload(body, over: transport) }
        _ = try await server.nextRequest()
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func cancelledUploadStopsCopyingForm() async throws {
        // Copying 16 GiB takes a long time.
        let form = HTTPBody.multipart(["endless": .file(try directory.hole(of: 1 << 34))])

        let task = Task { try await upload(form) }
        try await until("the form is being copied") { try copies == 1 }
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        try await until("the copy is deleted") { try copies == 0 }
        #expect(server.requests.isEmpty)
    }

    /// The ways in which an upload can end.
    enum End: CaseIterable { case output, refusal, failure, cancellation }

    @Test(arguments: End.allCases)
    func uploadDeletesCopyOfForm(end: End) async throws {
        let form = HTTPBody.multipart(["file": .file(try directory.file())])
        let (counts, counted) = AsyncStream.makeStream(of: Int.self)
        server.on(.post("/v1/albums/1")) { _ in
            counted.yield(try copies)
            return switch end {
            case .output: .text("done")
            case .refusal: .status(413)
            case .failure: .failure(.networkConnectionLost)
            case .cancellation: .never
            }
        }

        let task = Task { try await upload(form) }
        #expect(await counts.first { _ in true } == 1)
        if end == .cancellation { task.cancel() }
        _ = await task.result

        try await until("the copy is deleted") { try copies == 0 }
    }
}
