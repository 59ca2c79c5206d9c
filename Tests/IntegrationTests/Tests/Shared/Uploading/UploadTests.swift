import APIKit
import APIKitTesting
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
}

extension UploadTests {
    var size: Int { 16 << 20 }

    /// A body that is larger than the buffers of a connection.
    private func largeBody(_ kind: UploadKind) throws -> HTTPBody {
        switch kind {
        case .data, .noData: .data(Data(count: size))
        case .file, .emptyFile: .file(try directory.hole(of: size))
        case .form: .multipart(["file": .file(try directory.hole(of: size))])
        }
    }

    @Test(arguments: [UploadKind.data, .file, .form])
    func responseBeforeTheEndOfTheBodyEndsTheUpload(kind: UploadKind) async throws {
        try await LoopbackServer.run(serve: { try $0.refuseUpload() }) { server in
            let body = try largeBody(kind)

            let error = await #expect(throws: APIError.self) {
                try await upload(body, with: server.request("/photos", method: "POST"))
            }

            #expect(error?.kind == .status(413))
            #expect(error?.body == Data("too large".utf8))
            #expect(progress.last?.fraction != 1)
        }
    }

    @Test(arguments: [UploadKind.data, .file, .form])
    func closedConnectionFailsTheUpload(kind: UploadKind) async throws {
        try await LoopbackServer.run(serve: { connection in
            _ = try connection.head()
            try connection.skip(100_000)
        }) { server in
            let body = try largeBody(kind)

            let error = await #expect(throws: APIError.self) {
                try await upload(body, with: server.request("/photos", method: "POST"))
            }

            #expect(error?.kind == .transport)
            #expect(error?.urlError?.code == .networkConnectionLost)
            #expect(progress.last?.fraction != 1)
        }
    }

    @Test func missingFileAfterARedirectFailsTheUpload() async throws {
        let file = try directory.file()
        try await LocalServer.run(respond: { _ in
            try FileManager.default.removeItem(at: file)
            return .redirect(307, to: "/end")
        }) { server in
            let url = server.baseURL.appending(path: "start")
            let error = await #expect(throws: APIError.self) {
                try await upload(.file(file), with: server.request("/start", method: "POST"))
            }

            #expect(error?.kind == .file(file))
            #expect(
                error?.description == """
                    POST \(url) failed: the file \(file.path) cannot be read \
                    or written: No such file or directory.
                    """)
        }
    }

    // Without a check, the system waits for the rest of the file until the request times out.
    @Test(.timeLimit(.minutes(2))) func shrinkingFileFailsTheUpload() async throws {
        let file = try directory.hole(of: size)
        try await LoopbackServer.run(serve: { connection in
            _ = try connection.head()
            truncate(file.path, 1_000_000)
            connection.skipToEnd()
        }) { server in
            var patient = try server.request("/photos", method: "POST")
            #if canImport(Darwin)
            // Apple's session has its own reader of the file, which may wait.
            patient.timeoutInterval = 10
            #else
            patient.timeoutInterval = 3_600
            #endif
            let request = patient
            let error = await #expect(throws: APIError.self) {
                try await upload(.file(file), with: request)
            }

            #expect(error?.kind == .file(file))
            #expect(
                error?.description == """
                    POST \(server)/photos failed: the file \(file.path) cannot be read or \
                    written: it became shorter during the upload.
                    """)
        }
    }

    @Test func growingFileIsSentWithItsInitialLength() async throws {
        let file = try directory.hole(of: size)
        let received = Locked(0)
        try await LoopbackServer.run(serve: { [size] connection in
            _ = try connection.head()
            truncate(file.path, off_t(size) + 1_000_000)
            try connection.skip(size)
            connection.write(.response(200, "done", headers: ["Connection": "close"]))
            let rest = connection.skipToEnd()
            received.withLock { $0 = size + rest }
        }) { server in
            try await upload(.file(file), with: server.request("/photos", method: "POST"))

            #expect(progress.last?.completedBytes == size)
        }
        #expect(received.withLock { $0 } == size)
    }

    /// The ways in which the client ends an upload.
    enum Stop: CaseIterable { case cancellation, deadline }

    @Test(arguments: [UploadKind.data, .file, .form], Stop.allCases)
    func stoppedUploadClosesTheConnection(kind: UploadKind, stop: Stop) async throws {
        let (arrival, isArriving) = AsyncStream.makeStream(of: Never.self)
        let isLeaving = DispatchSemaphore(value: 0)
        let (counts, count) = AsyncStream.makeStream(of: Int.self)
        try await LoopbackServer.run(serve: { connection in
            _ = try connection.head()
            try connection.skip(100_000)
            isArriving.finish()
            isLeaving.wait()
            count.yield(connection.skipToEnd())
            count.finish()
        }) { server in
            let body = try largeBody(kind)
            let request = try server.request("/photos", method: "POST")
            let clock = ManualClock()

            let task = Task {
                try await upload(
                    body, with: request, interceptors: [Deadline(.seconds(1), clock: clock)])
            }
            for await _ in arrival {}
            let duration = await ContinuousClock().measure {
                if stop == .cancellation { task.cancel() } else { clock.advance(by: .seconds(1)) }
                _ = await task.result
            }
            isLeaving.signal()

            #expect(duration < .seconds(20))
            let error = await #expect(throws: (any Error).self) { try await task.value }
            if stop == .cancellation {
                #expect(error is CancellationError)
            } else {
                #expect((error as? APIError)?.kind == .deadline)
            }
            for await count in counts { #expect(count < size) }
            #expect(progress.last?.fraction != 1)
        }
    }
}
