import APIKitTesting
import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct UploadTests {
    /// The transports that can reach the mock server.
    enum Transport: CaseIterable { case session, server }

    let server = MockServer.current
    let directory: TemporaryDirectory
    let steps = Locked<[TransferProgress]>([])

    init() throws { directory = try TemporaryDirectory() }

    /// The session of the server, which writes copies of forms to the directory of the test.
    private var session: URLSessionTransport {
        URLSessionTransport(
            session: server.session, redirects: .follow, temporaryDirectory: directory.url)
    }

    /// Uploads a body, and records its progress.
    @discardableResult
    func upload(
        _ body: HTTPBody,
        over transport: Transport = .session,
        _ method: HTTPMethod = .post,
        headers: [String: String] = [:],
        interceptors: [any APIInterceptor] = []
    ) async throws -> String {
        let client = APIClient.make(
            transport: transport == .session ? session : server,
            interceptors: interceptors)
        let request = EchoRequest { try URLRequest(method, "albums/1", headers: headers) }
        return try await client.upload(request, from: body) { [steps] step in steps.append(step) }
    }

    @Test(arguments: Transport.allCases, UploadKind.allCases)
    func uploadSendsBodyAndReportsAllProgress(transport: Transport, kind: UploadKind) async throws {
        let route = server.on(.post("/v1/albums/1"), reply: .text("done"))
        let body = try kind.body(in: directory)
        let content = try body.data()

        let output = try await upload(body, over: transport)

        #expect(output == "done")
        #expect(route.requests.map(\.body) == [content])
        #expect(route.requests.first?.header("Content-Type") == body.contentType)
        #expect(
            steps.current.last
                == TransferProgress(completedBytes: content.count, totalBytes: content.count))
    }

    @Test(arguments: Transport.allCases, [UploadKind.data, .file])
    func progressHasTheStepsOfTheBody(transport: Transport, kind: UploadKind) async throws {
        server.on(.post("/v1/albums/1"), reply: .text("done"))

        try await upload(kind.body(in: directory, of: 230_000), over: transport)

        #expect(steps.current.map(\.completedBytes) == [65_536, 131_072, 196_608, 230_000])
        #expect(steps.current.allSatisfy { $0.totalBytes == 230_000 })
    }

    @Test func contentTypeOfRequestOverridesThatOfBody() async throws {
        let route = server.on(.post("/v1/albums/1"))

        try await upload(.data(Data("a".utf8)), headers: ["content-type": "image/x-dog"])

        #expect(route.requests.map { $0.header("Content-Type") } == ["image/x-dog"])
    }

    /// A transport that reports its progress backwards and concurrently.
    private struct ConfusedTransport: HTTPTransport {
        func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
            (Data(), try HTTPURLResponse.make())
        }

        func upload(
            _ request: URLRequest, from body: HTTPBody,
            progress: @escaping @Sendable (TransferProgress) -> Void
        ) async throws -> (Data, URLResponse) {
            await withTaskGroup(of: Void.self) { group in
                for count in (0...1000).reversed() {
                    group.addTask {
                        progress(TransferProgress(completedBytes: count, totalBytes: 1000))
                    }
                }
            }
            return try await send(request)
        }
    }

    @Test @MainActor func progressIsReportedOnTheActorOfItsClosure() async throws {
        server.on(.any, reply: .text("ok"))
        let client = APIClient.make(transport: server.session)
        let body = HTTPBody.data(Data(count: 300_000))
        var steps: [TransferProgress] = []

        try await client.upload(EchoRequest { try URLRequest(.post, "echo") }, from: body) {
            @MainActor in steps.append($0)
        }

        #expect(steps.map(\.completedBytes) == steps.map(\.completedBytes).sorted())
        #expect(steps.count > 1)
        #expect(steps.last == TransferProgress(completedBytes: 300_000, totalBytes: 300_000))
    }

    @Test func progressIncreasesAndIsReportedSerially() async throws {
        let (steps, depth) = (steps, Locked(0))
        let client = APIClient.make(transport: ConfusedTransport())

        for _ in 0..<(Stress.isFull ? 20 : 5) {
            steps.set([])
            let request = EchoRequest { try URLRequest(.post, "a") }
            _ = try await client.upload(request, from: .data(Data())) { step in
                depth.increment()
                steps.append(step)
                #expect(depth.current == 1)
                depth.withLock { $0 -= 1 }
            }

            let counts = steps.current.map(\.completedBytes)
            #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 < $1 })
            #expect(counts.last == 1000)
        }
    }
}

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

        for body in [HTTPBody.file(url), .multipart(["a": .text("b"), "c": .file(url)])] {
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
        await expectError(.invalidRequest("a \(method) request cannot upload a body")) {
            try await upload(.data(Data("a".utf8)), method)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func contentTypeWithLineBreakIsRefused() async throws {
        let body = HTTPBody.data(Data(), contentType: "text/plain\r\nX-Evil: 1")

        let error = await #expect(throws: APIError.self) { try await upload(body) }

        #expect(
            error?.description == """
                POST https://api.example.com/v1/albums/1 cannot be sent: the value of its header \
                Content-Type contains a control character.
                """)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: Transport.allCases, UploadKind.allCases)
    func canceledUploadThrowsAtOnce(transport: Transport, kind: UploadKind) async throws {
        server.on(.post("/v1/albums/1"), reply: .never)
        let body = try kind.body(in: directory)

        let task = Task { try await upload(body, over: transport) }
        _ = try await server.nextRequest()
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        // The directory stays if a file in it is deleted while the directory is.
        try await until("the copy is deleted") { try directory.copies == 0 }
    }

    @Test func canceledUploadStopsCopyingForm() async throws {
        // Copying 16 GiB takes a long time.
        let form = HTTPBody.multipart(["endless": .file(try directory.hole(of: 1 << 34))])

        let task = Task { try await upload(form) }
        try await until("the form is being copied") { try directory.copies == 1 }
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        try await until("the copy is deleted") { try directory.copies == 0 }
        #expect(server.requests.isEmpty)
    }

    /// The ways in which an upload can end.
    enum End: CaseIterable { case output, refusal, failure, cancellation }

    @Test(arguments: End.allCases)
    func uploadDeletesCopyOfForm(end: End) async throws {
        let form = HTTPBody.multipart(["file": .file(try directory.file())])
        let (counts, counted) = AsyncStream.makeStream(of: Int.self)
        server.on(.post("/v1/albums/1")) { [directory] _ in
            counted.yield(try directory.copies)
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

        try await until("the copy is deleted") { try directory.copies == 0 }
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

        try await upload(body, .put, interceptors: [Retry(baseDelay: .zero)])

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
            try await upload(.file(file), .put, interceptors: [Retry(baseDelay: .zero)])
        }
    }
}

extension TemporaryDirectory {
    /// The number of temporary copies of forms.
    fileprivate var copies: Int {
        get throws { try names.count { $0.hasPrefix("APIKit-") } }
    }
}
