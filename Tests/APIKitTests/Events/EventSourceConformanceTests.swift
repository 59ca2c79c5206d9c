import APIKit
import APIKitTesting
import Foundation
import Testing

/// The web platform tests for event sources, named after their files.
///
/// These tests concern a page or its scripts, and are omitted:
/// - `eventsource-constructor-*`, `eventsource-url`, `eventsource-prototype`, `eventsource-readyState`,
///   `eventsource-eventtarget`, `eventsource-onopen`, `eventsource-onmessage*`, `interfaces`: the
///   object in JavaScript. An event source has no states and no handlers.
/// - The first test of `eventsource-close`, `eventsource-request-cancellation`, `eventsource-bfcache`:
///   `close()` and the end of a page. `StreamingOverHTTPTests` covers the exit from the loop.
/// - `eventsource-cross-origin*`, `request-credentials`: CORS. The session manages cookies.
/// - `eventsource-from-readable-stream*`: events of a stream. `ServerSentEventTests` covers them.
/// - `dedicated-worker`, `shared-worker`: the same tests in a worker.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct EventSourceConformanceTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        /// The response to each connection, before a final 204.
        let responses: [MockResponse]
        var events: [ServerSentEvent] = []
        /// The error that ends the events, or `nil` if the 204 ends them.
        var end: APIError.Kind?
        /// The `Last-Event-ID` of the connection after the first.
        var lastEventID: String?
        /// The delay before that connection.
        var wait: Duration = .seconds(3)

        var testDescription: String { name }
    }

    private static func stream(_ text: String, type: String = "text/event-stream") -> MockResponse {
        .data(Data(text.utf8), contentType: type)
    }

    private static func format(
        _ name: String, _ text: String, _ events: [ServerSentEvent], lastEventID: String? = nil,
        wait: Duration = .seconds(3)
    ) -> Case {
        Case(
            name: "format-\(name)", responses: [stream(text)], events: events,
            lastEventID: lastEventID, wait: wait)
    }

    private static let formats: [Case] = [
        format("bom", "\u{FEFF}data:1\n\n\u{FEFF}data:2\n\ndata:3\n\n", ["1", "3"]),
        format("bom-2", "\u{FEFF}\u{FEFF}data:1\n\ndata:2\n\ndata:3\n\n", ["2", "3"]),
        format(
            "comments",
            "data:1\r:\0\n:\r\ndata:2\n:\(long)\rdata:3\n:data:no\r:\(long)\ndata:4\n\n",
            ["1\n2\n3\n4"]),
        format(
            "data-before-final-empty-line", "retry:1000\ndata:1\n\nid:x\ndata:2",
            [ServerSentEvent(data: "1", retry: .seconds(1))],
            wait: .seconds(1)),
        format("field-data", "data:\n\ndata\ndata\n\ndata:a\n\n", ["", "\n", "a"]),
        format("field-event", "event:a\ndata:1\n\ndata:2\n\n", [.init(data: "1", type: "a"), "2"]),
        format("field-event-empty", "event: \ndata:1\n\n", ["1"]),
        format(
            "field-id", "id: …\ndata:1\n\n", [ServerSentEvent(data: "1", id: "…")],
            lastEventID: "…"),
        format(
            "field-id-2", "id\ndata:1\n\nid:2\ndata:2\n\n",
            ["1", ServerSentEvent(data: "2", id: "2")], lastEventID: "2"),
        format(
            "field-id-3 (persists)", "id: 1\ndata:1\n\ndata:2\n\n",
            [ServerSentEvent(data: "1", id: "1"), ServerSentEvent(data: "2", id: "1")],
            lastEventID: "1"),
        format(
            "field-id-3 (changes)", "id: 1\ndata:1\n\nid: 2\ndata:2\n\ndata:3\n\n",
            [
                ServerSentEvent(data: "1", id: "1"), ServerSentEvent(data: "2", id: "2"),
                ServerSentEvent(data: "3", id: "2"),
            ], lastEventID: "2"),
        format(
            "field-id-3 (resets)", "id: 1\ndata:1\n\nid:\ndata:2\n\ndata:3\n\n",
            [ServerSentEvent(data: "1", id: "1"), "2", "3"]),
        format("field-id-null (1)", "id:\0\0\ndata:1\n\n", ["1"]),
        format("field-id-null (2)", "id:x\0\ndata:1\n\nid:\0x\ndata:2\n\n", ["1", "2"]),
        format("field-id-null (3)", "id:x\0x\ndata:1\n\nid: \0\ndata:2\n\n", ["1", "2"]),
        format(
            "field-parsing",
            "data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:"
                + "\r\n data:32\ndata:4\n\n", ["\0\n 2\n1\n3\n\n4"]),
        format(
            "field-retry", "retry:03000\ndata:1\n\n",
            [ServerSentEvent(data: "1", retry: .seconds(3))]),
        format(
            "field-retry-bogus", "retry:5000\nretry:1000x\ndata:1\n\n",
            [ServerSentEvent(data: "1", retry: .seconds(5))], wait: .seconds(5)),
        format("field-retry-empty", "retry\ndata:1\n\n", ["1"]),
        format(
            "field-unknown", "data:1\n data\ndata\nfoo:x\nsome text\n:a comment\ndata:2\n\n",
            ["1\n\n2"]),
        format("leading-space", "data:\ta\rdata: \ndata:b\n\n", ["\ta\n\nb"]),
        format("newlines", "data:1\r\ndata\ndata:2\r\n\r", ["1\n\n2"]),
        format("null-character", "data:\0\n\n\n\n", ["\0"]),
        format(
            "event-data",
            "data:a\ndata:a\n\n:\nother:a\n\nother:a\nData:a\n\ndata\n\ndata:end\n\n",
            ["a\na", "", "end"]),
        Case(
            name: "format-utf-8",
            responses: [stream("data:ok…\n\n", type: "text/event-stream;charset=windows-1252")],
            events: ["ok…"]),
        Case(
            name: "format-mime-trailing-semicolon",
            responses: [stream("data:1\n\n", type: "text/event-stream;")], events: ["1"]),
    ]

    private static let long = String(repeating: "x", count: 4_096)

    // The web platform tests contain only the last two types.
    private static let types: [Case] = [
        ("Text/Event-Stream", true), (" text/event-stream \t; charset=utf-8", true),
        ("text/event-streamfoo", false), ("text/event-stream+json", false), ("text/event", false),
        ("", false),
        ("x bogus", false), ("text/x-bogus", false),
    ].map { type, isAccepted in
        Case(
            name: "format-mime (\(type))", responses: [stream("data:1\n\n", type: type)],
            events: isAccepted ? ["1"] : [], end: isAccepted ? nil : .decoding)
    }

    private static let statuses: [Case] =
        [Case(name: "request-status-error (204)", responses: [])]
        + [201, 205, 206, 210, 299, 300, 304, 404, 410, 503].map { status in
            Case(
                name: "request-status-error (\(status))",
                responses: [
                    .data(Data("data:1\n\n".utf8), status: status, contentType: "text/event-stream")
                ],
                end: .status(status))
        }

    private static let redirects: [Case] = [301, 302, 303, 307, 308].map { status in
        Case(
            name: "request-redirect (\(status))",
            responses: [.redirect(to: "/elsewhere", status: status)], events: ["1"])
    }

    private static let reconnections: [Case] = [
        Case(
            name: "eventsource-reconnect (200)",
            responses: [stream("retry: 200\n"), stream("data: 1\n\n")], events: ["1"],
            wait: .milliseconds(200)),
        Case(
            name: "eventsource-reconnect (first message)",
            responses: [stream("retry: 200\nid: 2\ndata: ok\n\n"), stream("data: data\n\n")],
            events: [
                ServerSentEvent(data: "ok", id: "2", retry: .milliseconds(200)),
                ServerSentEvent(data: "data", id: "2"),
            ], lastEventID: "2", wait: .milliseconds(200)),
        // The server asks for two milliseconds. The shortest delay of a source is 100 ms.
        Case(
            name: "eventsource-close (test events)",
            responses: [stream("retry: 2\ndata: opened\n\n"), stream("data: reconnected\n\n")],
            events: [
                ServerSentEvent(data: "opened", retry: .milliseconds(2)), "reconnected",
            ], wait: .milliseconds(100)),
    ]

    @Test(arguments: formats + types + statuses + redirects + reconnections)
    func eventSourceConforms(test: Case) async throws {
        let server = MockServer()
        let responses = Locked(test.responses.makeIterator())
        server.on(.get("/v1/echo"), times: .anyNumber) { _ in
            responses.withLock { $0.next() } ?? .status(204)
        }
        server.on(.get("/elsewhere"), reply: Self.stream("data:1\n\n"), times: .anyNumber)
        let clock = ImpatientClock()
        let source = APIClient.make(transport: server.session)
            .reconnectingEvents(of: DataRequest.anyStatus(), clock: clock)
        var events: [ServerSentEvent] = []
        var error: (any Error)?

        do {
            for try await event in source { events.append(event) }
        } catch let failure {
            error = failure
        }

        #expect(events == test.events)
        #expect((error as? APIError)?.kind == test.end)
        #expect((error == nil) == (test.end == nil))
        let connections = server.requests(matching: .get("/v1/echo"))
        #expect(connections.count == test.responses.count + (test.end == nil ? 1 : 0))
        #expect(connections.dropFirst().first?.header("Last-Event-ID") == test.lastEventID)
        #expect(test.responses.isEmpty || test.end != nil || clock.waits.first == test.wait)
        // The cases request-accept and request-cache-control.
        #expect(connections.allSatisfy { $0.header("Accept") == "text/event-stream" })
        #expect(connections.allSatisfy { $0.header("Cache-Control") == "no-cache" })
        server.verify()
    }
}
