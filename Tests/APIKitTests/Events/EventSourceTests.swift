import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct EventSourceTests {
    private let server = MockServer.current
    private let clock = ManualClock()

    private var source: ByteStream.Elements<ServerSentEvent> {
        APIClient.make(transport: server).reconnectingEvents(of: EchoRequest(), clock: clock)
    }

    /// Returns the next event, and expects a delay before it.
    private func event(
        after wait: Duration, from events: inout ByteStream.Elements<ServerSentEvent>.AsyncIterator
    ) async throws -> String? {
        async let delay = clock.advanceToNextDeadline()
        let event = try await events.next()
        #expect(await delay == wait)
        return event?.data
    }

    @Test func sourceReconnectsAfterLostConnection() async throws {
        server.on(
            .get("/v1/echo"), reply: .failure(.cannotConnectToHost),
            .events(["one", "cut off"]).truncated(after: 14), .events(["two"]))
        var events = source.makeAsyncIterator()

        #expect(try await event(after: .seconds(3), from: &events) == "one")
        #expect(try await event(after: .seconds(3), from: &events) == "two")
    }

    @Test func delayDoublesAfterEachFailedConnection() async throws {
        let clock = ImpatientClock()
        server.on(
            .get("/v1/echo"), reply: .failure(.cannotConnectToHost), .failure(.timedOut),
            .events([]),
            .failure(.networkConnectionLost), .failure(.cannotFindHost), .failure(.timedOut),
            .events(["one"]), .failure(.timedOut), .status(204))

        for try await _ in APIClient.make(transport: server)
            .reconnectingEvents(of: EchoRequest(), clock: clock)
        {}

        #expect(clock.waits == [3, 6, 12, 24, 30, 30, 3, 6].map { .seconds($0) })
    }

    @Test(arguments: ["0", "00", "1", "99"])
    func delayOfServerIsAtLeast100Milliseconds(retry: String) async throws {
        let clock = ImpatientClock()
        let stream = MockResponse.data(
            Data("retry: \(retry)\ndata: a\n\n".utf8), contentType: "text/event-stream")
        server.on(
            .get("/v1/echo"), reply: stream, stream, .failure(.timedOut), .failure(.timedOut),
            .status(204))

        for try await _ in APIClient.make(transport: server).reconnectingEvents(
            of: EchoRequest(), clock: clock)
        {}

        #expect(clock.waits == [100, 100, 200, 400].map { .milliseconds($0) })
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .milliseconds(99)])
    func delayOfCallerIsAtLeast100Milliseconds(delay: Duration) async throws {
        let clock = ImpatientClock()
        server.on(.get("/v1/echo"), reply: .events(["one"]), .status(204))

        for try await _ in APIClient.make(transport: server)
            .reconnectingEvents(of: EchoRequest(), delay: delay, clock: clock)
        {}

        #expect(clock.waits == [.milliseconds(100)])
    }

    @Test func restOfAChunkIsNotDeliveredAfterTheCancellation() async throws {
        let chunk = Data("data: one\n\ndata: two\n\n".utf8)
        server.on(.get("/v1/echo"), reply: .data(chunk, contentType: "text/event-stream"))
        let events = Locked<[String]>([])

        let loop = Task { [source] in
            for try await event in source {
                events.append(event.data)
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }

        await #expect(throws: CancellationError.self) { try await loop.value }
        #expect(events.current == ["one"])
    }

    @Test(arguments: ["", "\u{1}"])
    func identifierThatIsEmptyOrInvalidRemovesThatOfTheRequest(id: String) async throws {
        let request = EchoRequest(make: {
            try URLRequest(.get, "echo", headers: ["last-event-id": "7"])
        })
        server.on(
            .get("/v1/echo"), reply: .events(["one"]),
            .events([ServerSentEvent(data: "two", id: id)]), .status(204))
        var events: [String] = []

        for try await event in APIClient.make(transport: server)
            .reconnectingEvents(of: request, clock: ImpatientClock())
        { events.append(event.data) }

        #expect(events == ["one", "two"])
        #expect(server.requests.map { $0.header("Last-Event-ID") } == ["7", "7", nil])
    }

    @Test func valuesAreDecodedOverAllConnections() async throws {
        server.on(
            .get("/v1/echo"), reply: .events(["1"]), .events(["2", "[DONE]", "3"]))
        let clock = ImpatientClock()
        var values: [Int] = []

        for try await value in APIClient.make(transport: server)
            .reconnectingEvents(of: EchoRequest(), clock: clock)
            .decoded(as: Int.self, until: "[DONE]")
        { values.append(value) }

        #expect(values == [1, 2])
    }

    @Test func status204ThatRequestTypeRefusesEndsSource() async throws {
        server.on(.get("/v1/echo"), reply: .status(204))
        var events = APIClient.make(transport: server)
            .reconnectingEvents(of: DataRequest(accepts: { $0 == 200 }), clock: clock)
            .makeAsyncIterator()

        #expect(try await events.next() == nil)
    }

    @Test func successWithoutEventStreamThrowsBody() async throws {
        server.on(.get("/v1/echo"), reply: .text("soon", status: 202))
        var events = source.makeAsyncIterator()

        let error = await expectError(.status(202)) { try await events.next() }
        #expect(error?.body == Data("soon".utf8))
    }

    @Test func responseOfAnotherTypeEndsSource() async throws {
        server.on(.get("/v1/echo"), reply: .text("<html>"))
        var events = source.makeAsyncIterator()

        let error = await expectError(.decoding) { try await events.next() }
        #expect(
            error?.description == """
                GET https://api.example.com/v1/echo returned a body that cannot be \
                decoded: its Content-Type is text/plain; \
                charset=utf-8, not text/event-stream.
                """)
    }

    /// The error of an unhandled request is no `URLError` either.
    @Test(arguments: [
        MockResponse.failure(.badURL), .failure(.unsupportedURL),
        .failure(.appTransportSecurityRequiresSecureConnection), .failure(.httpTooManyRedirects),
        .failure(Refusal()),
    ])
    func errorThatNoConnectionAvoidsEndsSource(failure: MockResponse) async throws {
        server.on(.get("/v1/echo"), reply: failure, .status(204), times: .anyNumber)
        var events = APIClient.make(transport: server)
            .reconnectingEvents(of: EchoRequest(), clock: ImpatientClock()).makeAsyncIterator()

        await expectError(.transport) { try await events.next() }
    }

    @Test(arguments: [
        (MockResponse.status(204), "succeeded: ()"), (.text("<html>"), "failed: GET"),
        (.status(205), "failed: GET"),
    ])
    func observersReceiveEndOfSource(response: MockResponse, end: String) async throws {
        server.on(.get("/v1/echo"), reply: response)
        let events = Locked<[String]>([])
        let client = APIClient.make(
            transport: server, observers: { _ in [RecordingObserver(events: events)] })
        var source = client.reconnectingEvents(of: EchoRequest(), clock: clock).makeAsyncIterator()

        do {
            #expect(try await source.next() == nil)
        } catch {
            #expect(error is APIError)
        }

        #expect(events.current.count == 4)
        #expect(events.current.last?.hasPrefix(end) == true)
    }

    @Test func cancellationEndsDelayAtOnce() async throws {
        server.on(.get("/v1/echo"), reply: .failure(.networkConnectionLost))
        let source = source
        let reading = Task { for try await _ in source {} }
        await clock.waitForSleepers()

        reading.cancel()

        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    @Test func delayBeyondRangeOfClockIsBounded() async throws {
        server.on(
            .get("/v1/echo"),
            reply: .data(
                Data("retry: 99999999999999999999\ndata: one\n\n".utf8),
                contentType: "text/event-stream"), .events(["two"]))
        var events = source.makeAsyncIterator()

        #expect(try await events.next()?.data == "one")
        #expect(try await event(after: .seconds(86_400), from: &events) == "two")
    }

    #if (os(macOS) || os(Linux)) && compiler(>=6.2)
    @Test func fullDiskEndsSource() async throws {
        await #expect(processExitsWith: .success) {
            let (sent, count) = (Waiter<Void>(), Locked(0))
            // More than a stream keeps in memory. A request for a chunk follows the last one.
            let chunks = AsyncStream<Data> {
                switch count.increment() {
                case 1: return Data("id: 1\ndata: one\n\n".utf8)
                case ...20: return Data(":\(String(repeating: " ", count: 100_000))\n".utf8)
                default:
                    sent.signal()
                    return nil
                }
            }
            let server = MockServer()
            server.on(
                .get("/v1/echo"), reply: .stream(chunks, contentType: "text/event-stream"),
                .status(204))
            var events = APIClient.make(transport: server)
                .reconnectingEvents(of: EchoRequest(), clock: ImpatientClock()).makeAsyncIterator()

            try await withFullDisk(after: 0) {
                #expect(try await events.next()?.data == "one")
                try await sent.wait()
                let error = await expectError(.file(FileManager.default.temporaryDirectory)) {
                    try await events.next()
                }
                #expect(error?.description.hasSuffix("written: File too large.") == true)
            }
            #expect(server.requests.count == 1)
        }
    }
    #endif
}
