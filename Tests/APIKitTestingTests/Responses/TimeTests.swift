import APIKit
import APIKitTesting
import Foundation
import Testing

/// Time passes on the clock of the server, with a session and without.
@Suite(.timeLimit(.minutes(10))) struct TimeTests {
    let clock = ManualClock()
    let server: MockServer

    init() {
        server = MockServer(clock: clock)
    }

    private func client(withURLSession: Bool) -> any HTTPTransport {
        withURLSession ? server.session : server
    }

    private func request(timeout: TimeInterval) -> URLRequest {
        var request = URLRequest.make()
        request.timeoutInterval = timeout
        return request
    }

    /// Loads a request, expects that it times out some seconds later, and returns the error.
    @discardableResult
    private func timeout(
        of request: URLRequest, by client: any HTTPTransport, after seconds: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> URLError? {
        let load = Task { try await client.send(request) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(seconds))

        let error = await #expect(throws: URLError.self, sourceLocation: sourceLocation) {
            try await load.value
        }
        #expect(error?.code == .timedOut, sourceLocation: sourceLocation)
        return error
    }

    @Test(arguments: [false, true], [MockResponse.never, .status(200).delayed(.seconds(30))])
    func runsOutWithTheTimeoutOfTheRequest(
        withURLSession: Bool, response: MockResponse
    ) async throws {
        server.on(.any, reply: response)
        let client = client(withURLSession: withURLSession)

        let error = await timeout(of: request(timeout: 10), by: client, after: 10)

        #expect(error?.failingURL == URL.make("/"))
    }

    @Test func runsOutWithTheTimeoutsOfTheConfiguration() async throws {
        server.on(.any, reply: .never)
        for set in [
            \URLSessionConfiguration.timeoutIntervalForRequest, \.timeoutIntervalForResource,
        ] {
            let configuration = URLSessionConfiguration.ephemeral
            configuration[keyPath: set] = 5
            let session = server.makeSession(configuration: configuration)

            await timeout(of: .make(), by: session, after: 5)
        }
    }

    @Test func runsOutForAResponder() async throws {
        let never = AsyncStream.makeStream(of: Never.self)
        server.on(.any) { _ in
            for await _ in never.stream {}
            return .status(200)
        }

        await timeout(of: request(timeout: 10), by: server.session, after: 10)
    }

    @Test(arguments: [false, true])
    func runsOutForAResponderThatCannotBeCancelled(withURLSession: Bool) async throws {
        let response = Waiter<MockResponse>()
        server.on(.any) { _ in try await response.value }
        let client = client(withURLSession: withURLSession)

        await timeout(of: request(timeout: 10), by: client, after: 10)

        response.answer(.success(.status(200)))
    }

    @Test func doesNotRunOutForWhatComesInTime() async throws {
        server.on(.any, reply: .text("in time").delayed(.seconds(9)))

        let load = Task { try await server.session.send(request(timeout: 10)).0 }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(9))

        #expect(try await load.value == Data("in time".utf8))
    }

    @Test func doesNotRunOutByTheDefaultsOfTheSystem() async throws {
        server.on(.any, reply: .text("late").delayed(.seconds(3600)))

        let load = Task { try await server.session.text("/") }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(3600))

        #expect(try await load.value == "late")
    }

    @Test(arguments: [.infinity, .greatestFiniteMagnitude] as [TimeInterval])
    func doesNotRunOutByATimeoutWithoutEnd(timeout: TimeInterval) async throws {
        server.on(.any, reply: .text("late").delayed(.seconds(3600)))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = timeout
        let session = server.makeSession(configuration: configuration)

        for client in [server, session] as [any HTTPTransport] {
            let load = Task { try await client.send(request(timeout: timeout)).0 }
            await clock.waitForSleepers()
            clock.advance(by: .seconds(3600))

            #expect(try await load.value == Data("late".utf8))
        }
    }

    @Test func beginsAnewWithEachPieceOfTheBody() async throws {
        server.on(.any, reply: .data(Data(count: 100)).throttled(bytesPerSecond: 10))

        let load = Task { try await server.session.send(request(timeout: 1)).0.count }
        for _ in 0..<100 {
            await clock.waitForSleepers()
            clock.advance(by: .milliseconds(100))
        }

        #expect(try await load.value == 100)
    }

    @Test func isAllThereIsForALoadWhateverArrives() async throws {
        server.on(.any, reply: .data(Data(count: 100)).throttled(bytesPerSecond: 10))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 5
        let session = server.makeSession(configuration: configuration)

        let load = Task { try await session.send(.make()) }
        for _ in 0..<50 {
            await clock.waitForSleepers()
            clock.advance(by: .milliseconds(100))
        }

        let error = await #expect(throws: URLError.self) { try await load.value }
        #expect(error?.code == .timedOut)
    }

    @Test func isAllThereIsForALoadWithItsRedirects() async throws {
        server.on(.any, reply: .text("end").delayed(.seconds(3)))
        server.on(.path("/start"), reply: .redirect(to: "/end").delayed(.seconds(3)))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 5
        let session = server.makeSession(configuration: configuration)

        let load = Task { try await session.send(.make("GET", "/start")) }
        for _ in 0..<2 {
            await clock.waitForSleepers()
            clock.advance(by: .seconds(3))
        }

        let error = await #expect(throws: URLError.self) { try await load.value }
        #expect(error?.code == .timedOut)
    }

    @Test(arguments: [false, true])
    func isWhatAThrottledBodyTakes(withURLSession: Bool) async throws {
        server.on(.any, reply: .data(Data(count: 1050)).throttled(bytesPerSecond: 1000))
        let client = client(withURLSession: withURLSession)
        let start = clock.now

        let load = Task { try await client.send(.make()).0.count }
        for piece in 0..<11 {
            await clock.waitForSleepers()
            clock.advance(by: piece < 10 ? .milliseconds(100) : .milliseconds(50))
        }

        #expect(try await load.value == 1050)
        #expect(start.duration(to: clock.now) == .milliseconds(1050))
    }

    @Test func letsAWholeBodyThroughThatIsDue() async throws {
        server.on(.any, reply: .data(Data(count: 100)).throttled(bytesPerSecond: 10))

        let load = Task { try await server.session.send(.make()).0.count }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(10))

        #expect(try await load.value == 100)
    }

    @Test(arguments: [false, true])
    func isNoneForABodyThatIsCutOff(withURLSession: Bool) async throws {
        server.on(.any, reply: .text("hello").truncated(after: 2))
        let client = client(withURLSession: withURLSession)

        let error = await #expect(throws: URLError.self) { try await client.send(.make()) }

        #expect(error?.code == .networkConnectionLost)
    }

    @Test(arguments: [
        MockResponse.text("hello").truncated(after: 2),
        .stream(["he", "llo"].map { Data($0.utf8) }).truncated(after: 2),
        .stream(["h", "ello"].map { Data($0.utf8) }).truncated(after: 2),
    ])
    func isEnoughForADelegateToSeeWhatCameBeforeTheCut(response: MockResponse) async throws {
        server.on(.any, reply: response)
        let delegate = RecordingDelegate()

        server.makeSession(delegate: delegate).dataTask(with: .make()).resume()

        let error = await delegate.completion()
        #expect((error as? URLError)?.code == .networkConnectionLost)
        #expect(delegate.body == Data("he".utf8))
    }

    @Test func isNotCutFromABodyThatIsShorter() async throws {
        server.on(.any, reply: .text("hello").truncated(after: 9))

        #expect(try await server.session.text("/") == "hello")
    }

    @Test func runsThroughASuspensionInTheMiddleOfABody() async throws {
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
