#if canImport(FoundationNetworking) && !APIKIT_APPLE_LOADER
import APIKit
import APIKitTesting
import Foundation
import Testing

/// Calls in a session that is invalidated between two attempts or before the first.
///
/// If the session is asked for a task, the system ends the process.
@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct InvalidationTests {
    private let server = MockServer.current
    private let clock = ManualClock()

    enum Way: CaseIterable {
        case invalidateAndCancel, finishTasksAndInvalidate

        func invalidate(_ session: URLSession) {
            switch self {
            case .invalidateAndCancel: session.invalidateAndCancel()
            case .finishTasksAndInvalidate: session.finishTasksAndInvalidate()
            }
        }
    }

    private func client(_ interceptors: any APIInterceptor...) -> APIClient {
        .make(transport: server.session, interceptors: interceptors)
    }

    @Test(arguments: Way.allCases)
    func callThatWaitsForARetryIsCanceled(way: Way) async throws {
        server.on(.get("/v1/echo"), reply: .status(503))
        let client = client(Retry(clock: clock, jitter: { 1 }))
        let call = Task { try await client.load(EchoRequest(), with: ()) }
        await clock.waitForSleepers()

        way.invalidate(server.session)
        await clock.advanceToNextDeadline()

        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test(arguments: Way.allCases)
    func callThatWaitsForATokenIsCanceled(way: Way) async throws {
        server.on(.get("/v1/echo"), reply: .status(401))
        let session = server.session
        let tokens = StubTokens("old") { _ in
            way.invalidate(session)
            return "new"
        }
        let client = client(BearerAuthentication(tokens))

        await #expect(throws: CancellationError.self) {
            try await client.load(EchoRequest(), with: ())
        }
    }

    @Test(arguments: Way.allCases)
    func callThatWaitsForAPermitIsCanceled(way: Way) async throws {
        let body = HeldBody()
        server.on(.get("/v1/first"), reply: .stream(body.chunks))
        let client = client(ConcurrencyLimit(1))
        let first = try await client.stream(EchoRequest { try URLRequest(.get, "first") }).value
        let call = Task { try await client.load(EchoRequest(), with: ()) }

        way.invalidate(server.session)
        body.finish()
        _ = try? await first.data()

        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test(arguments: Way.allCases)
    func eventSourceThatWaitsForAConnectionIsCanceled(way: Way) async throws {
        server.on(.get("/v1/echo"), reply: .events(["one"]))
        let source = client().events(of: EchoRequest(), clock: clock)
        let events = Task {
            var events: [String] = []
            do {
                for try await event in source { events.append(event.data) }
            } catch is CancellationError {
                events.append("canceled")
            }
            return events
        }
        await clock.waitForSleepers()

        way.invalidate(server.session)
        await clock.advanceToNextDeadline()

        #expect(try await events.value == ["one", "canceled"])
    }

    @Test(arguments: Way.allCases, LoadingWay.allCases)
    func callThatStartsIsCanceled(way: Way, loading: LoadingWay) async throws {
        server.on(.get("/v1/dogs"), reply: .text("dogs"))
        let session = server.session
        _ = try await loading.load(.make(), by: session)

        way.invalidate(session)
        let error = await #expect(throws: URLError.self) {
            try await loading.load(.make(), by: session)
        }

        #expect(error?.code == .cancelled)
    }

    @Test(arguments: Way.allCases, [HTTPCookieStorage.shared, nil])
    func firstCallOfSessionIsCanceled(way: Way, cookies: HTTPCookieStorage?) async throws {
        let session = URLSession.plain { $0.httpCookieStorage = cookies }

        way.invalidate(session)
        let error = await #expect(throws: URLError.self) { try await session.send(.make()) }

        #expect(error?.code == .cancelled)
    }

    /// A session asks its protocols on its own queue when the watch ends, and then is released.
    @Test func protocolMayReadTheBodyAtAnyTime() async throws {
        weak var released: URLSession?
        do {
            let session = URLSession.plain { $0.protocolClasses = [BodyReadingProtocol.self] }
            released = session
            #expect(try await session.send(.make()).0.isEmpty)
        }
        await until("the session is released") { released == nil }
    }

    /// Half of the sessions are invalidated while their first call starts.
    @Test(arguments: Way.allCases)
    func callsRaceWithInvalidation(way: Way) async throws {
        server.on(.get("/v1/dogs"), times: .anyNumber) { _ in .text("dogs") }
        let request = try URLRequest.make()
        for round in 0..<(Stress.isFull ? 10_000 : 200) / Way.allCases.count {
            let session = server.makeSession()
            if round.isMultiple(of: 2) { _ = try await session.send(request) }
            await withTaskGroup { group in
                for _ in 0..<3 {
                    group.addTask {
                        do {
                            #expect(try await session.send(request).0 == Data("dogs".utf8))
                        } catch {
                            #expect((error as? URLError)?.code == .cancelled)
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<round % 20 { await Task.yield() }
                    way.invalidate(session)
                }
            }
        }
    }
}

/// A protocol that looks at the body of each request before it loads it.
private final class BodyReadingProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.httpBody == nil }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url else { return }
        let response = URLResponse(
            url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
#endif
