import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.mockServer) struct LoadingTests {
    let server = MockServer.current

    @Test func readsTheBodyHoweverItWasSent() async throws {
        let expected = User(id: 1, name: "Ada")
        let body = try JSONEncoder().encode(expected)
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try body.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let route = server.on(.post("/users").json(expected), reply: .status(201), times: 4)
        let request = URLRequest.make("POST", "/users")
        var withData = request
        withData.httpBody = body
        var withStream = request
        withStream.httpBodyStream = InputStream(data: body)

        _ = try await server.session.send(withData)
        _ = try await server.session.send(withStream)
        _ = try await server.session.upload(for: request, from: body)
        _ = try await server.session.upload(for: request, fromFile: file)

        #expect(route.requests.map(\.body) == Array(repeating: body, count: 4))
    }

    @Test func failsWithTheErrorOfAFileThatCannotBeRead() async {
        server.on(.any, times: .anyNumber)
        let missing = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

        await #expect(throws: (any Error).self) {
            try await server.session.upload(for: .make("POST", "/"), fromFile: missing)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func deliversOnceToATaskThatIsSuspendedAndResumed() async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(.any, reply: .text("late").delayed(.seconds(1)))
        let answers = AsyncStream.makeStream(of: String.self)
        let task = server.session.dataTask(with: .make()) { data, _, _ in
            answers.continuation.yield(String(decoding: data ?? Data(), as: UTF8.self))
        }

        task.resume()
        await clock.waitForSleepers()
        task.suspend()
        clock.advance(by: .seconds(1))
        task.resume()

        var iterator = answers.stream.makeAsyncIterator()
        #expect(await iterator.next() == "late")
        #expect(server.requests.count == 1)
    }

    @Test func holdsBackFromASuspendedTask() async throws {
        let answered = Locked(false)
        let suspended = AsyncStream.makeStream(of: Void.self)
        let responded = AsyncStream.makeStream(of: Void.self)
        server.on(.any) { _ in
            for await _ in suspended.stream {}
            responded.continuation.finish()
            return .text("now")
        }
        let answers = AsyncStream.makeStream(of: String.self)
        let task = server.session.dataTask(with: .make()) { data, _, _ in
            answered.withLock { $0 = true }
            answers.continuation.yield(String(decoding: data ?? Data(), as: UTF8.self))
        }

        task.resume()
        task.suspend()
        suspended.continuation.finish()
        for await _ in responded.stream {}
        // Another load that is answered after the event shows that it would have come by now.
        server.on(.get("/other"), reply: .status(204))
        _ = try await server.session.status(.make("GET", "/other"))
        #expect(!answered.withLock { $0 })
        task.resume()

        var iterator = answers.stream.makeAsyncIterator()
        #expect(await iterator.next() == "now")
    }

    @Test func answersOnceWhenResumedTwice() async throws {
        let clock = ManualClock()
        let server = MockServer(clock: clock)
        server.on(.any, reply: .text("once").delayed(.seconds(1)))
        let count = Locked(0)
        let answers = AsyncStream.makeStream(of: Void.self)
        let task = server.session.dataTask(with: .make()) { _, _, _ in
            count.withLock { $0 += 1 }
            answers.continuation.finish()
        }

        task.resume()
        task.resume()
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        for await _ in answers.stream {}

        #expect(count.withLock { $0 } == 1)
        #expect(server.requests.count == 1)
    }

    @Test func cancelsTheResponderOfATaskThatIsCancelled() async throws {
        let cancelled = AsyncStream.makeStream(of: Bool.self)
        let never = AsyncStream.makeStream(of: Never.self)
        server.on(.any) { _ in
            for await _ in never.stream {}
            cancelled.continuation.yield(Task.isCancelled)
            return .status(200)
        }
        let load = Task { try await server.session.send(.make()) }
        while server.requests.isEmpty { await Task.yield() }

        load.cancel()

        var iterator = cancelled.stream.makeAsyncIterator()
        #expect(await iterator.next() == true)
        await #expect(throws: CancellationError.self) { try await load.value }
    }

    /// The system's own functions, and a cache in the way: what users may have, whatever we advise.
    @Test(arguments: [false, true])
    func completesEachOf1000TasksOnceWhereverItIsCancelled(hasCache: Bool) async {
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
                    for number in 0..<100 {
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

        #expect(completions == 1_000)
    }

    @Test func failsADelegateTaskThatIsCancelled() async throws {
        server.on(.any, reply: .never)
        let delegate = RecordingDelegate()
        let session = server.makeSession(delegate: delegate)
        let task = session.dataTask(with: .make())

        task.resume()
        while server.requests.isEmpty { await Task.yield() }
        task.cancel()

        let error = await delegate.completion()
        #expect((error as? URLError)?.code == .cancelled)
    }

    @Test func tellsADelegateWhatItTellsAHandler() async throws {
        server.on(.any, reply: .text("hello", status: 201))
        let delegate = RecordingDelegate()
        let session = server.makeSession(delegate: delegate)

        session.dataTask(with: .make()).resume()

        #expect(await delegate.completion() == nil)
        #expect(delegate.status == 201)
        #expect(delegate.body == Data("hello".utf8))
    }

    @Test func cancelsWorkThatBeginsWhenItsLoadHasFailed() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.protocolClasses = [FailingProtocol.self]

        await #expect(throws: FailingProtocol.Failure.self) {
            try await URLSession(configuration: configuration).send(.make())
        }

        for await _ in FailingProtocol.cancellation.stream {}
    }

    #if canImport(FoundationNetworking)
    @Test func readsTheBodyThatADelegateProvides() async throws {
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

    @Test func readsNoBodyWhereNoDelegateProvidesOne() async throws {
        server.on(.post("/users"), reply: .status(201))

        server.session.uploadTask(withStreamedRequest: .make("POST", "/users")).resume()

        #expect(try await server.nextRequest().body.isEmpty)
    }

    @Test func refusesADownloadTaskWithAClearError() async throws {
        server.on(.any, times: .anyNumber)

        let error = await #expect(throws: (any Error).self) {
            try await server.session.download(for: .make())
        }

        #expect(error?.localizedDescription.hasPrefix("On Linux a MockServer cannot") == true)
    }

    /// Should the queue of the loading system ever be out of reach, the public way has to do.
    @Test func deliversWithoutTheQueueOfTheLoadingSystem() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.protocolClasses = [QueuelessProtocol.self]
        let session = URLSession(configuration: configuration)

        let answered = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    var answered = 0
                    for _ in 0..<20 where try await session.text("/") == "queueless" {
                        answered += 1
                    }
                    return answered
                }
            }
            return try await group.reduce(0, +)
        }

        #expect(answered == 1000)
    }
    #endif
}

/// A protocol whose load fails just before it begins to work on it.
private final class FailingProtocol: URLProtocol {
    struct Failure: Error {}

    static let cancellation = AsyncStream.makeStream(of: Never.self)

    private var delivery: Delivery?

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        let delivery = Delivery(for: self)
        self.delivery = delivery
        delivery.fail(with: Failure())
        delivery.run {
            for await _ in AsyncStream.makeStream(of: Never.self).stream {}
            FailingProtocol.cancellation.continuation.finish()
        }
    }

    override func stopLoading() {}
}

#if canImport(FoundationNetworking)
/// A delegate that provides the body of an upload, and notes the queue on which it is asked.
private final class StreamingDelegate: NSObject, URLSessionTaskDelegate {
    private let body: Data
    private let asked = Locked<OperationQueue?>(nil)

    var queue: OperationQueue? { asked.withLock { $0 } }

    init(_ body: Data) {
        self.body = body
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        asked.withLock { $0 = OperationQueue.current }
        completionHandler(InputStream(data: body))
    }
}

/// A protocol that delivers from a foreign thread and does not know the queue of the system.
private final class QueuelessProtocol: URLProtocol {
    private var delivery: Delivery?

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        if let delivery { return delivery.deliver() }
        let delivery = Delivery(for: self, to: LoadingClient(of: self, on: nil))
        self.delivery = delivery
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
        else { return }
        delivery.run {
            delivery.send([.response(response)])
            delivery.send([.body(Data("queueless".utf8)), .finished])
        }
    }

    override func stopLoading() {
        delivery?.stopLoading()
    }
}
#endif
