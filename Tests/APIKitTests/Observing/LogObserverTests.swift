import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct LogObserverTests {
    let server = MockServer.current
    let clock = ManualClock()
    let lines = Locked<[String]>([])

    @Test func entryHasTheFieldsOfTheLine() async throws {
        let entries = Locked<[LogObserver.Entry]>([])
        respond(.text("12345"), after: .milliseconds(20))
        let client = APIClient.make(
            transport: server,
            observers: { [clock] call in
                [LogObserver(call, clock: clock) { entries.append($0) }]
            })

        _ = try await client.load(request("echo?secret=x"))

        let entry = try #require(entries.current.first)
        #expect(entries.current.count == 1)
        #expect(entry.method == .get)
        #expect(entry.url == "https://api.example.com/v1/echo?secret=***")
        #expect((entry.status, entry.attempts, entry.byteCount) == (200, 1, 5))
        #expect(entry.duration == .milliseconds(20))
        #expect(entry.isLast && entry.error == nil && entry.reason == nil)
        #expect(
            entry.description
                == "GET https://api.example.com/v1/echo?secret=*** → 200, 20 ms, 5 bytes")
    }

    @Test func entryOfAFailureHasItsError() async throws {
        let entries = Locked<[LogObserver.Entry]>([])
        server.on(.any, reply: .status(404))
        let client = APIClient.make(
            transport: server,
            observers: { call in [LogObserver(call) { entries.append($0) }] })

        _ = try? await client.load(request())
        _ = try? await inCanceledTask { try await client.load(request()) }

        #expect(
            entries.current.map { ($0.error as? APIError)?.kind } == [.status(404), nil])
        #expect(entries.current.last?.error is CancellationError)
        #expect(entries.current.map(\.reason) == ["refused with status 404", "canceled"])
        #expect(entries.current.map(\.status) == [404, nil])
    }

    @Test(
        arguments: [
            (.zero, 0, "0 ms, 0 bytes"), (.microseconds(499), 1, "0 ms, 1 byte"),
            (.microseconds(500), 999, "1 ms, 999 bytes"),
            (.milliseconds(999), 1_234_567, "999 ms, 1,234,567 bytes"),
            (.microseconds(999_500), 2, "1.0 s, 2 bytes"),
            (.milliseconds(1_049), 2, "1.0 s, 2 bytes"),
            (.milliseconds(1_050), 2, "1.1 s, 2 bytes"), (.seconds(75), 2, "75.0 s, 2 bytes"),
            (.seconds(3_600), 2, "3,600.0 s, 2 bytes"),
        ] as [(Duration, Int, String)])
    func durationAndBytesAreMeasured(duration: Duration, count: Int, text: String) async throws {
        clock.advance(by: .seconds(5))
        respond(.data(Data(count: count)), after: duration)

        _ = try await client().load(request())

        #expect(lines.current == ["\(echo) → 200, \(text)"])
    }

    @Test func attemptsAreCounted() async throws {
        respond(.status(503), .text("ok"), after: .milliseconds(50))

        _ = try await client(RepeatingInterceptor()).load(request())

        #expect(lines.current == ["\(echo) → 200, 2 attempts, 100 ms, 2 bytes"])
    }

    @Test func callWithoutRequestIsLogged() async throws {
        let stub = StubInterceptor { APIResponse(value: Data(), http: try .make(203)) }

        _ = try await client(stub).load(request())

        #expect(lines.current == ["\(echo) → 203 without a request, 0 ms"])
    }

    @Test func replacedStatusIsLogged() async throws {
        server.on(.get("/v1/echo"), reply: .tagged())
        let client = client(ETagCache())

        for _ in 0..<2 { _ = try await client.load(request()) }

        #expect(
            lines.current == [
                "\(echo) → 200, 0 ms, 4 bytes", "\(echo) → 200 (received 304), 0 ms, 0 bytes",
            ])
    }

    #if (os(Linux) || os(macOS)) && compiler(>=6.2)
    @Test func observerWritesToStandardErrorByDefault() async throws {
        let result = try await #require(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            let call = APICall(request: try .make(), apiRequest: EchoRequest())
            LogObserver(call).callFailed(with: CancellationError())
        }

        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("→ canceled without a request"))
    }
    #endif

    @Test(arguments: [
        Duration.seconds(Int64.max), .seconds(Int64.max) * 15, .seconds(Int64.min) * 15,
    ])
    func anyDurationIsLogged(duration: Duration) throws {
        let lines = Locked<[String]>([])
        let call = APICall(request: try .make(), apiRequest: EchoRequest())
        let clock = JumpingClock(step: duration)
        let observer = LogObserver(call, clock: clock) { lines.append($0.description) }

        observer.callFailed(with: CancellationError())

        #expect(lines.current.count == 1)
    }

    func request(_ path: String = "echo") -> DataRequest {
        DataRequest { try URLRequest(.get, APIPath(verbatim: path)) }
    }

    let echo = "GET https://api.example.com/v1/echo"

    func respond(_ replies: MockResponse..., after duration: Duration = .zero) {
        let remaining = Locked(replies)
        server.on(.get("/v1/echo"), times: .atLeast(replies.count)) { [clock] _ in
            clock.advance(by: duration)
            return remaining.withLock { $0.removeFirst() }
        }
    }

    func client(
        _ interceptors: any APIInterceptor..., redacting: Redaction = .secrets
    ) -> APIClient {
        .make(
            transport: server, interceptors: interceptors,
            observers: { [clock, lines] call in
                [
                    LogObserver(call, clock: clock, redacting: redacting) {
                        lines.append($0.description)
                    }
                ]
            })
    }
}

/// A clock that advances by a step after its first reading.
private struct JumpingClock: Clock {
    typealias Instant = ManualClock.Instant

    let step: Duration
    private let clock = ManualClock()
    private let count = Locked(0)

    init(step: Duration) { self.step = step }

    var minimumResolution: Duration { .zero }
    var now: Instant {
        count.increment() == 1 ? clock.now : clock.now.advanced(by: step)
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {}
}

extension LogObserverTests {
    @Test(arguments: [(1, "failed, 2.0 s"), (3, "failed after 3 attempts, 6.0 s")])
    func failureIsLoggedWithItsAttemptsAndReason(attempts: Int, text: String) async throws {
        server.on(.get("/v1/echo")) { [clock] _ in
            clock.advance(by: .seconds(2))
            return .failure(.timedOut)
        }

        await #expect(throws: APIError.self) {
            try await client(RepeatingInterceptor(times: attempts)).load(request())
        }

        #expect(
            lines.current == ["\(echo) → \(text): the request timed out (URLError -1001)"])
    }

    @Test func undecodableBodyIsLoggedAsFailure() async throws {
        server.on(.get("/v1/dogs/7"), reply: .text("<html>"))

        await #expect(throws: APIError.self) { try await client().load(DogRequest(), with: 7) }

        #expect(
            lines.current == [
                """
                GET https://api.example.com/v1/dogs/7 → failed, 0 ms: the body cannot be decoded: \
                the body is text/plain, not JSON: <html>
                """
            ])
    }

    @Test(
        arguments: [
            (APIError(.notHTTP), "the response is not HTTP"),
            (APIError(.deadline), "the deadline has passed"),
            (APIError(.invalidRequest("it has no URL")), "it has no URL"),
            (APIError(.transport), "no reason was given"),
            (APIError(.transport, underlying: APIError(.deadline)), "the deadline has passed"),
            (URLError(.cannotFindHost), "the host cannot be found (URLError -1003)"),
            (
                APIError(.file(URL(filePath: "/a")), underlying: POSIXError(.EISDIR)),
                "the file /a cannot be read or written: Is a directory"
            ),
            (Refusal(), "Refusal(reason: \"no\")"),
            (Verbose(), "first second [2J third"),
            (
                NSError(domain: "d", code: 1, userInfo: [NSLocalizedDescriptionKey: "It broke."]),
                "It broke"
            ),
        ] as [(any Error & Sendable, String)])
    func errorIsLoggedOnOneLine(error: any Error & Sendable, text: String) async throws {
        let client = client(StubInterceptor { throw error })

        await #expect(throws: (any Error).self) { try await client.load(request()) }

        #expect(lines.current == ["\(echo) → failed without a request, 0 ms: \(text)"])
    }

    @Test func textOfErrorIsBounded() async throws {
        let client = client(
            StubInterceptor { throw Verbose(text: String(repeating: "x", count: 2_000)) })

        await #expect(throws: Verbose.self) { try await client.load(request()) }

        #expect(lines.current.map { $0.filter { $0 == "x" }.count } == [1_001])
    }

    @Test func cancellationIsLogged() async throws {
        server.on(.get("/v1/echo")) { [clock] _ in
            clock.advance(by: .milliseconds(12))
            throw CancellationError()
        }

        await #expect(throws: CancellationError.self) { try await client().load(request()) }

        #expect(lines.current == ["\(echo) → canceled, 12 ms"])
    }
}

private struct Verbose: Error, CustomStringConvertible {
    var text = "first\r\n\t second\u{1B}[2J\u{2028}third."
    var description: String { text }
}
