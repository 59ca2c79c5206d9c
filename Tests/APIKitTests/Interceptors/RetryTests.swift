import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct RetryTests {
    private let server = MockServer.current
    private let clock = ManualClock()

    /// A client whose retries wait for the whole delay.
    private func client(
        attempts: Int = 3,
        maxDelay: Duration = .seconds(30),
        jitter: @escaping @Sendable () -> Double = { 1 },
        now: @escaping @Sendable () -> Date = { Date(timeIntervalSince1970: 0) }
    ) -> APIClient {
        let retry = Retry(
            maxAttempts: attempts, baseDelay: .seconds(1), maxDelay: maxDelay, clock: clock,
            jitter: jitter, now: now)
        return .make(transport: server, interceptors: [retry])
    }

    /// A client that retries without a delay.
    private func eagerClient(attempts: Int = 3) -> APIClient {
        client(attempts: attempts, jitter: { 0 })
    }

    private func request(
        _ method: HTTPMethod, headers: [String: String] = [:], body: HTTPBody? = nil
    ) -> EchoRequest {
        EchoRequest { try URLRequest(method, "echo", headers: headers, body: body) }
    }

    /// Expects the next attempt when a delay has passed, and not earlier.
    private func expectDelay(of delay: Duration, before attempt: Int) async {
        await clock.waitForSleepers()
        clock.advance(by: delay - .nanoseconds(1))
        #expect(server.requests.count == attempt - 1)
        clock.advance(by: .nanoseconds(1))
    }

    @Test(arguments: [408, 429, 500, 502, 503, 504])
    func temporaryStatusIsRetried(status: Int) async throws {
        server.on(.any, reply: .status(status), .status(status), .text("ok"), times: 3)

        #expect(try await eagerClient().load(request(.get)) == "ok")
    }

    @Test(arguments: [200, 304, 400, 401, 403, 404, 409, 501, 505])
    func otherStatusIsNotRetried(status: Int) async throws {
        server.on(.any, reply: .status(status), times: .once)

        let response = try await eagerClient().response(to: DataRequest.anyStatus())

        #expect(response.statusCode == status)
    }

    @Test func lastResponseIsReturnedWithBody() async throws {
        server.on(.any, reply: .text("one", status: 503), .text("two", status: 500), times: 2)

        let error = await #expect(throws: APIError.self) {
            try await eagerClient(attempts: 2).load(request(.get))
        }

        #expect(error?.statusCode == 500)
        #expect(error?.body == Data("two".utf8))
    }

    @Test(arguments: [
        URLError.Code.cannotFindHost, .dnsLookupFailed, .cannotConnectToHost,
        .notConnectedToInternet, .internationalRoamingOff, .callIsActive, .dataNotAllowed,
        .secureConnectionFailed,
    ])
    func connectionFailureIsRetriedForAnyMethod(code: URLError.Code) async throws {
        server.on(.any, reply: .failure(code), .text("ok"), times: 2)

        #expect(try await eagerClient().load(request(.post, body: .json([1]))) == "ok")
        #expect(server.requests.map(\.text) == ["[1]", "[1]"])
    }

    @Test(arguments: [
        (HTTPMethod.get, true), (.head, true), (.put, true), (.delete, true), (.options, true),
        ("TRACE", true), (.post, false), (.patch, false), ("LINK", false),
    ])
    func ambiguousFailureIsRetriedOnlyForIdempotentMethod(
        method: HTTPMethod, isIdempotent: Bool
    ) async throws {
        for reply in [
            MockResponse.failure(.networkConnectionLost), .failure(.timedOut),
            .failure(.resourceUnavailable), .failure(.cannotLoadFromNetwork), .status(503),
            .failure(POSIXError(.ECONNABORTED)), .failure(POSIXError(.ECONNRESET)),
            .failure(POSIXError(.ENOTCONN)), .failure(POSIXError(.EPIPE)),
        ] {
            let count = server.requests.count
            let route = server.on(.any, reply: reply, .status(200), times: .anyNumber)

            let result = await Task { try await eagerClient().load(request(method)) }.result

            #expect(server.requests.count - count == (isIdempotent ? 2 : 1))
            #expect(((try? result.get()) != nil) == isIdempotent)
            route.remove()
        }
    }

    @Test(arguments: [Retry.statuses, [425]])
    func postIsRetriedAfterStatus425IfItIsNamed(statuses: Set<Int>) async throws {
        let isNamed = statuses.contains(425)
        server.on(.any, reply: .status(425), .text("ok"), times: isNamed ? 2 : 1)
        let client = APIClient.make(server, Retry(baseDelay: .zero, statuses: statuses))

        let response = try await client.response(to: DataRequest.anyStatus(.post))

        #expect(response.statusCode == (isNamed ? 200 : 425))
    }

    private static let permanent: [any Error] =
        [
            .badURL, .unsupportedURL, .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot,
            .clientCertificateRequired, .httpTooManyRedirects, .userAuthenticationRequired,
            .badServerResponse, .cannotParseResponse, .cannotDecodeContentData,
            .cannotDecodeRawData,
        ].map { URLError($0) } + [
            Refusal(), POSIXError(.EIO),
            APIError(.file(URL(filePath: "/a")), underlying: URLError(.cannotConnectToHost)),
        ]

    @Test(arguments: permanent) func otherErrorIsNotRetried(error: any Error) async {
        server.on(.any, reply: .failure(error), times: .once)

        await #expect(throws: APIError.self) { try await eagerClient().load(request(.get)) }
    }

    @Test func bodyStreamIsNeverRetried() async {
        server.on(.any, reply: .status(429), times: .once)
        let streaming = EchoRequest {
            var request = try URLRequest(.put, "echo")
            request.httpBodyStream = InputStream(data: Data("once".utf8))
            return request
        }

        await #expect(throws: APIError.self) { try await eagerClient().load(streaming) }
        server.on(.any, reply: .failure(.cannotConnectToHost), times: .once)
        await #expect(throws: APIError.self) { try await eagerClient().load(streaming) }
    }

    @Test(arguments: [1, 0.25])
    func delayDoublesUpToMaximumAndJitterShortensIt(jitter: Double) async throws {
        server.on(.any, reply: .status(503), times: 5)
        let client = client(attempts: 5, maxDelay: .seconds(3), jitter: { jitter })

        let load = Task { try await client.load(request(.get)) }
        for (attempt, delay) in [(2, 1), (3, 2), (4, 3), (5, 3)] {
            await expectDelay(of: .seconds(delay) * jitter, before: attempt)
        }

        await #expect(throws: APIError.self) { try await load.value }
    }

    @Test(arguments: [
        ("7", 7), (" 7 ", 7), ("0", 0), ("Thu, 01 Jan 1970 00:00:09 GMT", 9),
        ("Thursday, 01-Jan-70 00:00:09 GMT", 9), ("Thu Jan  1 00:00:09 1970", 9),
        ("soon", 1), ("-3", 1), ("", 1), ("1.5", 1),
    ])
    func retryAfterSetsDelay(header: String, seconds: Int) async throws {
        server.on(.any, reply: .status(429).header("Retry-After", header), .text("ok"), times: 2)

        let load = Task { try await client().load(request(.get)) }
        if seconds > 0 { await expectDelay(of: .seconds(seconds), before: 2) }

        #expect(try await load.value == "ok")
    }

    @Test(arguments: ["31", "99999999999999999999999", "Thu, 01 Jan 1970 00:00:31 GMT"])
    func retryGivesUpWhenRetryAfterIsTooLong(header: String) async {
        server.on(.any, reply: .status(429).header("Retry-After", header), times: .once)

        let error = await #expect(throws: APIError.self) { try await client().load(request(.get)) }

        #expect(error?.statusCode == 429)
    }

    @Test func cancellationEndsDelay() async {
        server.on(.any, reply: .status(503), times: .once)

        let load = Task { try await client().load(request(.get)) }
        await clock.waitForSleepers()
        load.cancel()

        await #expect(throws: CancellationError.self) { try await load.value }
    }

    @Test(arguments: [1, 0, -1])
    func singleAttemptIsNotRetried(attempts: Int) async {
        server.on(.any, reply: .status(503), times: .once)

        await #expect(throws: APIError.self) {
            try await eagerClient(attempts: attempts).load(request(.get))
        }
    }

    @Test func retryWaitsOnTheDefaultClock() async throws {
        let realClock = Retry(baseDelay: .microseconds(1))
        server.on(.any, reply: .status(503), .text("ok"), times: 2)

        let client = APIClient.make(server, realClock)

        #expect(try await client.load(request(.get)) == "ok")
    }
}
