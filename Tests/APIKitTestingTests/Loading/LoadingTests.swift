import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct LoadingTests {
    let server = MockServer.current

    @Test func sessionRefusesAGETWithABody() async throws {
        server.on(.any, times: .anyNumber)
        let request = URLRequest.make("GET", "/users", body: Data("body".utf8))

        let error = await #expect(throws: URLError.self) { try await server.session.send(request) }

        #expect(error?.code == .dataLengthExceedsMaximum)
        #expect(server.requests.isEmpty)
        #expect(try await server.status(request) == 200)
    }

    // On Apple platforms, the system opens the file, and may pass an empty stream to the protocol.
    #if canImport(FoundationNetworking)
    @Test func uploadOfAMissingFileFails() async {
        server.on(.any, times: .anyNumber)
        let missing = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

        await #expect(throws: (any Error).self) {
            try await server.session.upload(for: .make("POST", "/"), fromFile: missing)
        }
        #expect(server.requests.isEmpty)
    }
    #endif

    @Test(arguments: [false, true])
    func taskThatIsResumedAgainReceivesOneResponse(isSuspended: Bool) async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(.any, reply: .text("once").delayed(.seconds(1)))
        let count = Locked(0)
        let texts = AsyncStream.makeStream(of: String.self)
        let task = server.session.dataTask(with: .make()) { data, _, _ in
            count.withLock { $0 += 1 }
            texts.continuation.yield(String(decoding: data ?? Data(), as: UTF8.self))
        }

        task.resume()
        if !isSuspended { task.resume() }
        await clock.waitForSleepers()
        if isSuspended { task.suspend() }
        clock.advance(by: .seconds(1))
        if isSuspended { task.resume() }

        #expect(await texts.stream.first { _ in true } == "once")
        #expect(count.withLock { $0 } == 1)
        #expect(server.requests.count == 1)
    }

    @Test func suspendedTaskReceivesNothing() async throws {
        let hasResponse = Locked(false)
        let suspended = AsyncStream.makeStream(of: Void.self)
        let responded = AsyncStream.makeStream(of: Void.self)
        server.on(.any) { _ in
            for await _ in suspended.stream {}
            responded.continuation.finish()
            return .text("now")
        }
        let texts = AsyncStream.makeStream(of: String.self)
        let task = server.session.dataTask(with: .make()) { data, _, _ in
            hasResponse.withLock { $0 = true }
            texts.continuation.yield(String(decoding: data ?? Data(), as: UTF8.self))
        }

        task.resume()
        task.suspend()
        suspended.continuation.finish()
        for await _ in responded.stream {}
        // A load that started later has completed. If the first task were not suspended, its load
        // would have completed too.
        server.on(.get("/other"), reply: .status(204))
        _ = try await server.session.status(.make("GET", "/other"))
        #expect(!hasResponse.withLock { $0 })
        task.resume()

        #expect(await texts.stream.first { _ in true } == "now")
    }

    @Test func canceledTaskCancelsItsResponder() async throws {
        let cancelled = AsyncStream.makeStream(of: Bool.self)
        let never = AsyncStream.makeStream(of: Never.self)
        server.on(.any) { _ in
            for await _ in never.stream {}
            cancelled.continuation.yield(Task.isCancelled)
            return .status(200)
        }
        let load = Task { try await server.session.send(.make()) }
        _ = try await server.nextRequest()

        load.cancel()

        #expect(await cancelled.stream.first { _ in true } == true)
        await #expect(throws: CancellationError.self) { try await load.value }
    }

    // An app may use a session with a cache.
    @Test(arguments: [false, true])
    func canceledTaskCompletesOnce(hasCache: Bool) async {
        let tasks = Stress.count(100)
        let server = MockServer(unhandled: .reply(.text("hello")))
        server.on(.get("/slow"), times: .anyNumber) { _ in .text("hello") }
        let configuration = URLSessionConfiguration.ephemeral
        server.install(in: configuration)
        if hasCache { configuration.urlCache = URLSessionConfiguration.ephemeral.urlCache }
        let session = URLSession(configuration: configuration)

        let completions = await withTaskGroup(of: Int.self) { group in
            for lane in 0..<10 {
                group.addTask {
                    var completions = 0
                    for number in 0..<tasks {
                        let path = number.isMultiple(of: 2) ? "/quick" : "/slow"
                        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
                        let task = session.dataTask(with: .make("GET", path)) { _, _, _ in
                            continuation.yield()
                        }
                        task.resume()
                        for _ in 0..<((number * 7 + lane) % 40) { await Task.yield() }
                        task.cancel()
                        for await _ in stream {
                            completions += 1
                            break
                        }
                    }
                    return completions
                }
            }
            return await group.reduce(0, +)
        }

        #expect(completions == 10 * tasks)
    }

    #if canImport(FoundationNetworking)
    @Test func serverReceivesTheBodyOfADelegate() async throws {
        let body = Data("streamed".utf8)
        server.on(.post("/users"), reply: .status(201))
        let delegate = StreamingDelegate(body)
        let queue = OperationQueue()
        let session = server.makeSession(delegate: delegate, delegateQueue: queue)

        session.uploadTask(withStreamedRequest: .make("POST", "/users")).resume()
        let recorded = try await server.nextRequest()

        #expect(recorded.body == body)
        #expect(delegate.queue === queue)
    }

    @Test func streamedUploadWithoutADelegateHasNoBody() async throws {
        server.on(.post("/users"), reply: .status(201))

        server.session.uploadTask(withStreamedRequest: .make("POST", "/users")).resume()

        #expect(try await server.nextRequest().body.isEmpty)
    }

    @Test func downloadTaskFailsWithAClearError() async throws {
        server.on(.any, times: .anyNumber)

        let error = await #expect(throws: (any Error).self) {
            try await server.session.download(for: .make())
        }

        #expect(error?.localizedDescription.hasPrefix("On Linux a MockServer cannot") == true)
    }
    #endif
}

#if canImport(FoundationNetworking)
/// A delegate that provides the body of an upload, and records the queue that calls it.
private final class StreamingDelegate: NSObject, URLSessionTaskDelegate {
    private let body: Data
    private let caller = Locked<OperationQueue?>(nil)

    var queue: OperationQueue? { caller.withLock { $0 } }

    init(_ body: Data) {
        self.body = body
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        caller.withLock { $0 = OperationQueue.current }
        completionHandler(InputStream(data: body))
    }
}
#endif
