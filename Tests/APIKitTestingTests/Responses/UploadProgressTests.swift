import APIKit
import APIKitTesting
import Foundation
import Testing

/// A server reports the progress of an upload in steps, before it responds.
@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct UploadProgressTests {
    enum Kind: CaseIterable { case httpBody, data, file, stream, streamWithLength }

    let server = MockServer.current
    let content = Data(repeating: 7, count: 150_000)
    let delegate = RecordingDelegate()

    private func task(_ kind: Kind, in session: URLSession, file: URL) -> URLSessionTask {
        var request = URLRequest.make("POST", "/photos")
        switch kind {
        case .data: return session.uploadTask(with: request, from: content)
        case .file: return session.uploadTask(with: request, fromFile: file)
        case .httpBody: request.httpBody = content
        case .stream, .streamWithLength:
            request.httpBodyStream = InputStream(data: content)
            let length = kind == .stream ? nil : "\(content.count)"
            request.setValue(length, forHTTPHeaderField: "Content-Length")
        }
        return session.dataTask(with: request)
    }

    @Test(arguments: Kind.allCases)
    func delegateOfASessionReceivesTheSteps(kind: Kind) async throws {
        let directory = try TemporaryDirectory()
        let route = server.on(.post("/photos"), reply: .text("thanks"))
        let session = server.makeSession(delegate: delegate)

        task(kind, in: session, file: try directory.file("photo", content)).resume()

        #expect(await delegate.completion() == nil)
        let size: Int64 = kind == .stream ? NSURLSessionTransferSizeUnknown : 150_000
        #expect(
            delegate.upload == [
                [65_536, 65_536, size], [65_536, 131_072, size], [18_928, 150_000, size],
            ])
        #expect(delegate.body == Data("thanks".utf8))
        #expect(route.requests.map(\.body) == [content])
    }

    // The configuration does not reveal the session, so the delegate of the task must receive it.
    @Test func delegateOfATaskReceivesTheStepsInsteadOfTheSession() async throws {
        server.on(.post("/photos"), reply: .status(201))
        let configuration = URLSessionConfiguration.ephemeral
        server.install(in: configuration)
        let other = RecordingDelegate()
        let session = URLSession(configuration: configuration, delegate: other, delegateQueue: nil)
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        var request = URLRequest.make("POST", "/photos")
        request.httpBody = content
        let task = session.dataTask(with: request) { _, _, _ in continuation.finish() }
        task.delegate = delegate

        task.resume()
        for await _ in ended {}

        #expect(delegate.upload.map { $0[at: 1] } == [65_536, 131_072, 150_000])
        #expect(other.upload.isEmpty)
    }

    @Test func requestWithoutABodyAndFailureReportNothing() async {
        server.on(.post("/photos"), reply: .text("thanks"))
        server.on(.post("/lost"), reply: .failure(.notConnectedToInternet))
        let (session, other) = (server.makeSession(delegate: delegate), RecordingDelegate())

        session.dataTask(with: .make("POST", "/photos")).resume()
        server.makeSession(delegate: other)
            .uploadTask(with: .make("POST", "/lost"), from: content).resume()

        #expect(await delegate.completion() == nil)
        #expect((await other.completion() as? URLError)?.code == .notConnectedToInternet)
        #expect(delegate.upload.isEmpty && other.upload.isEmpty)
    }

    @Test func responderRunsAfterTheLastStep() async {
        server.on(.post("/photos")) { [delegate] _ in
            .text("\(delegate.upload.last?[at: 1] ?? 0)")
        }
        let session = server.makeSession(delegate: delegate)

        session.uploadTask(with: .make("POST", "/photos"), from: content).resume()

        #expect(await delegate.completion() == nil)
        #expect(delegate.body == Data("150000".utf8))
    }

    @Test(arguments: [false, true])
    func throttledUploadStopsWithTheClock(withURLSession: Bool) async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(
            .post("/photos"),
            reply: .text("thanks").throttled(uploadBytesPerSecond: 100_000).delayed(.seconds(1)))
        let client: any HTTPTransport = withURLSession ? server.session : server
        let (steps, progress) = AsyncStream.makeStream(of: Int.self)
        let upload = Task {
            try await client.upload(.make("POST", "/photos"), from: .data(content)) {
                progress.yield($0.completedBytes)
            }
        }

        await clock.waitForSleepers()
        clock.advance(by: .milliseconds(750))
        // The next step ends at 0.8 s.
        await clock.waitForSleepers()
        #expect(await steps.first { $0 >= 70_000 } == 70_000)
        #expect(server.requests.map(\.body) == [content])
        #expect(await clock.advanceToNextDeadline() == .milliseconds(50))
        #expect(await steps.first { _ in true } == 80_000)
        clock.advance(by: .milliseconds(1_700))

        let (data, _) = try await upload.value
        #expect(data == Data("thanks".utf8))
        #expect(clock.now == ManualClock().now.advanced(by: .milliseconds(2_500)))
    }

    @Test(arguments: [false, true])
    func canceledUploadSendsNoFurtherBytes(withURLSession: Bool) async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(.post("/photos"), reply: .status(201).throttled(uploadBytesPerSecond: 100_000))
        let client: any HTTPTransport = withURLSession ? server.session : server
        let (steps, progress) = AsyncStream.makeStream(of: Int.self)
        let upload = Task {
            try await client.upload(.make("POST", "/photos"), from: .data(content)) {
                progress.yield($0.completedBytes)
            }
        }
        await clock.waitForSleepers()
        clock.advance(by: .milliseconds(100))
        #expect(await steps.first { _ in true } == 10_000)

        upload.cancel()

        await #expect(throws: CancellationError.self) { try await upload.value }
        clock.advance(by: .seconds(10))
        progress.finish()
        #expect(await steps.first { _ in true } == nil)
    }

    @Test func uploadCanceledByItsProgressSendsNoFurtherBytes() async throws {
        server.on(.post("/photos"), reply: .status(201))
        let steps = Locked<[Int]>([])
        let upload = Task { [server, content] in
            try await server.upload(.make("POST", "/photos"), from: .data(content)) { step in
                steps.withLock { $0.append(step.completedBytes) }
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }

        await #expect(throws: CancellationError.self) { try await upload.value }
        #expect(steps.withLock { $0 } == [65_536])
    }

    @Test func uploadRateAppliesWithoutADelegate() async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(.post("/photos"), reply: .status(201).throttled(uploadBytesPerSecond: 1))
        let load = Task {
            try await server.session.status(.make("POST", "/photos", body: Data("ab".utf8)))
        }

        #expect(await clock.advanceToNextDeadline() == .seconds(1))
        #expect(await clock.advanceToNextDeadline() == .seconds(1))

        #expect(try await load.value == 201)
    }

    @Test func uploadRateOfAResponderFailsTheTest() async throws {
        server.on(.post("/photos")) { _ in .status(201).throttled(uploadBytesPerSecond: 10) }

        await #expect(throws: TestFailure.self) {
            try await server.session.send(.make("POST", "/photos"))
        }

        #expect(
            try await server.failuresOfVerification() == [
                """
                A route is invalid: a response closure runs after the upload, so its response has no \
                upload rate. Use on(_:reply:)
                """
            ])
    }
}
