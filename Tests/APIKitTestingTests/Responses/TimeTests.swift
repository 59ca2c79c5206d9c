import APIKit
import APIKitTesting
import Foundation
import Testing

/// Delays, timeouts and throttling use the clock of the server, with and without a session.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct TimeTests {
    let clock = ManualClock()
    let server: MockServer

    init() {
        server = MockServer(clock: clock)
    }

    private func client(withURLSession: Bool) -> any HTTPTransport {
        withURLSession ? server.session : server
    }

    /// Makes a session of the server with a timeout for a whole load.
    private func session(resourceTimeout: TimeInterval) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = resourceTimeout
        return server.makeSession(configuration: configuration)
    }

    private func request(timeout: TimeInterval) -> URLRequest {
        var request = URLRequest.make()
        request.timeoutInterval = timeout
        return request
    }

    /// Sends a request, and waits for a task to sleep on the clock before it advances by each step.
    private func send(
        _ request: URLRequest = .make(), by client: any HTTPTransport, advancing steps: [Duration]
    ) async throws -> Data {
        let load = Task { try await client.send(request).0 }
        for step in steps {
            await clock.waitForSleepers()
            clock.advance(by: step)
        }
        return try await load.value
    }

    /// Expects that a request times out after the steps, and returns the error.
    @discardableResult
    private func expectTimeout(
        of request: URLRequest = .make(), by client: any HTTPTransport,
        advancing steps: [Duration], sourceLocation: SourceLocation = #_sourceLocation
    ) async -> URLError? {
        let error = await #expect(throws: URLError.self, sourceLocation: sourceLocation) {
            try await send(request, by: client, advancing: steps)
        }
        #expect(error?.code == .timedOut, sourceLocation: sourceLocation)
        return error
    }

    @Test(arguments: [false, true], [MockResponse.never, .status(200).delayed(.seconds(30))])
    func requestTimeoutFailsALoad(withURLSession: Bool, response: MockResponse) async throws {
        server.on(.any, reply: response)
        let client = client(withURLSession: withURLSession)

        let error = await expectTimeout(
            of: request(timeout: 10), by: client, advancing: [.seconds(10)])

        #expect(error?.failingURL == URL.make("/"))
    }

    @Test func configurationTimeoutsFailALoad() async throws {
        server.on(.any, reply: .never)
        for set in [
            \URLSessionConfiguration.timeoutIntervalForRequest, \.timeoutIntervalForResource,
        ] {
            let configuration = URLSessionConfiguration.ephemeral
            configuration[keyPath: set] = 5
            let session = server.makeSession(configuration: configuration)

            await expectTimeout(by: session, advancing: [.seconds(5)])
        }
    }

    @Test(arguments: [false, true])
    func requestTimeoutFailsALoadWhoseResponderIgnoresCancellation(
        withURLSession: Bool
    ) async throws {
        let response = Waiter<MockResponse>()
        server.on(.any) { _ in try await response.value }
        let client = client(withURLSession: withURLSession)

        await expectTimeout(of: request(timeout: 10), by: client, advancing: [.seconds(10)])

        response.answer(.success(.status(200)))
    }

    @Test func defaultTimeoutsOfTheSystemDoNotApply() async throws {
        server.on(.any, reply: .text("late").delayed(.seconds(3600)))

        #expect(
            try await send(by: server.session, advancing: [.seconds(3600)]) == Data("late".utf8))
    }

    @Test(arguments: [.infinity, .greatestFiniteMagnitude] as [TimeInterval])
    func infiniteTimeoutFailsNoLoad(timeout: TimeInterval) async throws {
        server.on(.any, reply: .text("late").delayed(.seconds(3600)))

        for client in [server, session(resourceTimeout: timeout)] as [any HTTPTransport] {
            let data = try await send(
                request(timeout: timeout), by: client, advancing: [.seconds(3600)])

            #expect(data == Data("late".utf8))
        }
    }

    @Test func requestTimeoutRestartsWithEachChunk() async throws {
        server.on(.any, reply: .data(Data(count: 100)).throttled(bytesPerSecond: 10))

        let data = try await send(
            request(timeout: 1), by: server.session,
            advancing: Array(repeating: .milliseconds(100), count: 100))

        #expect(data.count == 100)
    }

    @Test func resourceTimeoutCoversTheWholeBody() async throws {
        server.on(.any, reply: .data(Data(count: 100)).throttled(bytesPerSecond: 10))

        await expectTimeout(
            by: session(resourceTimeout: 5),
            advancing: Array(repeating: .milliseconds(100), count: 50))
    }

    @Test func resourceTimeoutCoversRedirects() async throws {
        server.on(.any, reply: .text("end").delayed(.seconds(3)))
        server.on(.path("/start"), reply: .redirect(to: "/end").delayed(.seconds(3)))

        await expectTimeout(
            of: .make("GET", "/start"), by: session(resourceTimeout: 5),
            advancing: [.seconds(3), .seconds(3)])
    }

    @Test(arguments: Duration.extremes)
    func delayedResponseArrivesOrIsCanceled(delay: Duration) async throws {
        let server = MockServer { _ in .text("ok").delayed(delay).delayed(delay) }

        let load = Task { try await server.send(.make("GET")) }
        _ = try await server.nextRequest()
        if delay > .zero { load.cancel() }

        let result = await load.result
        #expect((try? result.get()) == nil || delay < .zero)
    }

    @Test func delayedResponseArrivesAtTheEndOfTheClock() async throws {
        server.on(.any, reply: .text("ok").delayed(.seconds(Int64.max)))

        #expect(try await send(by: server, advancing: [.seconds(Int64.max)]) == Data("ok".utf8))
    }

    @Test(arguments: [false, true])
    func throttledBodyTakesItsTime(withURLSession: Bool) async throws {
        server.on(.any, reply: .data(Data(count: 1050)).throttled(bytesPerSecond: 1000))
        let client = client(withURLSession: withURLSession)
        let start = clock.now

        let data = try await send(
            by: client,
            advancing: Array(repeating: .milliseconds(100), count: 10) + [.milliseconds(50)])

        #expect(data.count == 1050)
        #expect(start.duration(to: clock.now) == .milliseconds(1050))
    }

    @Test func throttledBodyArrivesWholeWhenItIsDue() async throws {
        server.on(.any, reply: .data(Data(count: 100)).throttled(bytesPerSecond: 10))

        #expect(try await send(by: server.session, advancing: [.seconds(10)]).count == 100)
    }

    @Test(arguments: [Int.max, .max - 1, 100])
    func throttledBodyArrivesAtAnyRate(rate: Int) async throws {
        let server = MockServer { _ in .text("ok").throttled(bytesPerSecond: rate) }

        #expect(try await server.text("/") == "ok")
    }

    @Test(arguments: [0, -1, .min])
    func throttledBodySendsAtLeastOneBytePerSecond(rate: Int) async throws {
        server.on(.any, reply: .text("ok").throttled(bytesPerSecond: rate))

        let data = try await send(by: server, advancing: [.seconds(1), .seconds(1)])

        #expect(data == Data("ok".utf8))
    }

    @Test(arguments: [-1, .min, 0, .max])
    func truncatedBodyArrivesOnlyWhenItFits(size: Int) async throws {
        let server = MockServer { _ in .text("ok").truncated(after: size) }

        let result = await Result { try await server.text("/") }

        #expect((try? result.get()) == (size > 0 ? "ok" : nil))
    }

    @Test(arguments: [
        MockResponse.text("hello").truncated(after: 2),
        .stream(["he", "llo"].map { Data($0.utf8) }).truncated(after: 2),
        .stream(["h", "ello"].map { Data($0.utf8) }).truncated(after: 2),
    ])
    func delegateReceivesTheBytesBeforeATruncation(response: MockResponse) async throws {
        server.on(.any, reply: response)
        let delegate = RecordingDelegate()

        server.makeSession(delegate: delegate).dataTask(with: .make()).resume()

        let error = await delegate.completion()
        #expect((error as? URLError)?.code == .networkConnectionLost)
        #expect(delegate.body == Data("he".utf8))
    }

    @Test func suspensionInsideABodyLosesNoBytes() async throws {
        server.on(.any, reply: .data(Data(count: 20)).throttled(bytesPerSecond: 100))
        let delegate = RecordingDelegate()
        let task = server.makeSession(delegate: delegate).dataTask(with: .make())

        task.resume()
        await clock.waitForSleepers()
        clock.advance(by: .milliseconds(100))
        await clock.waitForSleepers()
        task.suspend()
        clock.advance(by: .milliseconds(100))
        task.resume()

        #expect(await delegate.completion() == nil)
        #expect(delegate.body.count == 20)
        #expect(server.requests.count == 1)
    }
}
