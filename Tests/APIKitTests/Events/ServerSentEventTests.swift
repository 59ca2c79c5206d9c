import APIKitTesting
import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn) struct ServerSentEventTests {
    private struct Broken: Error {}

    // The examples of the HTML standard, section 9.2.6.
    @Test(
        arguments: [
            ("data: YHOO\ndata: +2\ndata: 10\n\n", ["YHOO\n+2\n10"]),
            (
                """
                : test stream

                data: first event
                id: 1

                data:second event
                id

                data:  third event


                """,
                [ServerSentEvent(data: "first event", id: "1"), "second event", " third event"]
            ),
            ("data\n\ndata\ndata\n\ndata:", ["", "\n"]),
            ("data:test\n\ndata: test\n\n", ["test", "test"]),
        ] as [(String, [ServerSentEvent])])
    func examplesOfStandardAreParsed(text: String, events: [ServerSentEvent]) async throws {
        #expect(try await ByteStream.make(text).events.elements() == events)
    }

    @Test(
        arguments: [
            // Line endings.
            ("data:a\r\rdata:b\r\n\r\ndata:c\n\n", ["a", "b", "c"]), ("data:a\r\n\n", ["a"]),
            ("data:a\n\r\ndata:b\r\n\r", ["a", "b"]),
            ("data:a\u{2028}\u{85}b\n\n", ["a\u{2028}\u{85}b"]),
            // Byte order marks at the start and elsewhere.
            ("\u{FEFF}data:a\n\n", ["a"]), ("\u{FEFF}\u{FEFF}data:a\n\ndata:b\n\n", ["b"]),
            ("\n\u{FEFF}data:a\n\n", []), ("\u{FEFF}:c\ndata:a\n\n", ["a"]),
            // Comments and unknown fields.
            (":\n: data: b\n\u{3A}data:c\ndata:a\n:d\n\n", ["a"]), (":\n\n", []),
            ("Data:b\nDATA:b\n data:b\ndata :b\ndatas:b\ndat:b\nx\ndata:a\n\n", ["a"]),
            ("data\0:b\n\0data:b\ndata:a\n\n", ["a"]), ("\u{301}data:b\ndata\u{301}:b\n\n", []),
            // Values.
            ("data:a:b: c\n\n", ["a:b: c"]), ("data:\ta \n\n", ["\ta "]), ("data:  \n\n", [" "]),
            ("data:\0\n\n", ["\0"]), ("data: \u{FEFF}\n\n", ["\u{FEFF}"]),
            ("data:\u{301}a\ndata: \u{301}b\n\n", ["\u{301}a\n\u{301}b"]),
            ("data:a\ndata\ndata:\ndata: \ndata:b\n\n", ["a\n\n\n\nb"]), ("data\n\n", [""]),
            // Types, which belong to one event. The last type counts.
            (
                "event: x\nevent:y\ndata:a\n\ndata:b\n\nevent:z\n\ndata:c\n\n",
                [ServerSentEvent(data: "a", type: "y"), "b", "c"]
            ),
            ("event: x\nevent\ndata:a\n\nevent:\ndata:b\n\n", ["a", "b"]),
            // An event needs data and a blank line.
            ("event:x\nid:1\nretry:5\n\n", []), ("\n\n\n", []), ("", []),
            ("data:a\n\ndata:b\n", ["a"]), ("data:a\n\ndata:b", ["a"]), ("data:a", []),
            // Identifiers, which are kept for later events.
            (
                "id:1\nid: 2\ndata:a\n\ndata:b\n\nid:3\n\ndata:c\n\nid\ndata:d\n\n",
                [
                    ServerSentEvent(data: "a", id: "2"), ServerSentEvent(data: "b", id: "2"),
                    ServerSentEvent(data: "c", id: "3"), "d",
                ]
            ),
            ("id:1\nid:2\0\nid:\0\ndata:a\n\n", [ServerSentEvent(data: "a", id: "1")]),
            ("id:\u{301} é\ndata:a\n\n", [ServerSentEvent(data: "a", id: "\u{301} é")]),
            // Reconnection times, which belong to one event.
            (
                "retry:1500\ndata:a\n\ndata:b\n\n",
                [ServerSentEvent(data: "a", retry: .milliseconds(1500)), "b"]
            ),
            (
                "retry:1\nretry: 007\nretry:x\ndata:a\n\n",
                [.init(data: "a", retry: .milliseconds(7))]
            ),
        ] as [(String, [ServerSentEvent])])
    func eventsAreParsedByRulesOfStandard(text: String, events: [ServerSentEvent]) async throws {
        #expect(try await ByteStream.make(text).events.elements() == events)
    }

    @Test(arguments: [
        "", " ", "+5", "-5", " 5 ", "5s", "5.0", "1e3", "0x5", "５", "٥", "\u{301}5", "5\0",
    ])
    func reconnectionTimeMustBeDigits(value: String) async throws {
        let (events, reader) = try await Self.read("retry:\(value)\ndata:a\n\n")

        #expect(events == ["a"])
        #expect(reader.reconnectionTime == nil)
    }

    @Test(
        arguments: [
            ("0", 0), ("9223372036854775807", .max), ("9223372036854775808", .max),
            (String(repeating: "9", count: 1000), .max),
        ] as [(String, Int64)])
    func reconnectionTimeMayBeAnyNumber(digits: String, milliseconds: Int64) async throws {
        let (events, reader) = try await Self.read("retry:\(digits)\n")

        #expect(events.isEmpty)
        #expect(reader.reconnectionTime == .milliseconds(milliseconds))
    }

    @Test func reconnectionStateIsKnownBeforeFirstEvent() async throws {
        let (events, reader) = try await Self.read("retry: 10\nid: 7\n\n")

        #expect(events.isEmpty)
        #expect(reader.lastEventID == "7")
        #expect(reader.reconnectionTime == .milliseconds(10))
    }

    @Test(arguments: ["", "\n"])
    func cutOffLineDoesNotChangeReconnectionTime(end: String) async throws {
        let (_, reader) = try await Self.read("retry: 10\n\nretry: 20\(end)")

        #expect(reader.reconnectionTime == .milliseconds(end.isEmpty ? 10 : 20))
    }

    @Test func cutOffEventDoesNotChangeLastEventID() async throws {
        let text = "id: 7\ndata: a\n\nid: 8\ndata: b\n"
        let cutOff = try await Self.read(text)
        let whole = try await Self.read(text + "\nid\n\n")

        #expect(cutOff.events.count == 1)
        #expect(cutOff.reader.lastEventID == "7")
        #expect(whole.events.last?.id == "8")
        #expect(whole.reader.lastEventID == "")
    }

    /// Reads a stream to its end, and returns its events and their reader.
    private static func read(
        _ text: String
    ) async throws -> (events: [ServerSentEvent], reader: EventReader) {
        var (events, reader) = ([ServerSentEvent](), EventReader(.make(text)))
        while let event = try await reader.next(isolation: nil)?.element { events.append(event) }
        return (events, reader)
    }

    @Test(
        arguments: [
            ([0xFF], "\u{FFFD}"), ([0xC0, 0x80], "\u{FFFD}\u{FFFD}"), ([0xE2, 0x82], "\u{FFFD}"),
            ([0xF0, 0x90, 0x41], "\u{FFFD}A"), ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
            ([0x61, 0xF4, 0x90, 0x62], "a\u{FFFD}\u{FFFD}b"),
        ] as [([UInt8], String)])
    func invalidUTF8IsReplaced(bytes: [UInt8], text: String) async throws {
        var document = Data()
        for field in ["data:", "\ndata:", "\nevent:", "\nid:"] { document += field.utf8 + bytes }
        document += "\n\n".utf8

        #expect(
            try await ByteStream.make([document]).events.elements()
                == [ServerSentEvent(data: "\(text)\n\(text)", type: text, id: text)])
    }

    @Test func eventsPrecedeErrorOfStream() async throws {
        let stream = ByteStream.make([Data("data:a\n\ndata:b\n".utf8)], throwing: Broken())
        var events = stream.events.makeAsyncIterator()

        #expect(try await events.next() == "a")
        await #expect(throws: Broken.self) { try await events.next() }
    }

    @Test func exitFromLoopEndsStream() async throws {
        let stream = ByteStream.make("data:a\n\ndata:b\n\n")
        let ends = stream.recordEnds()

        for try await _ in stream.events { break }

        #expect(ends.current.count == 1)
        #expect(ends.current.first is CancellationError)
    }
}

extension ServerSentEventTests {
    @Test(arguments: [
        "\u{FEFF}data: é€😀\r\n\r\ndata:b\r\r", "id:1\ndata\r\ndata: é\n\n\r\n:x\rdata",
        "event:é\rretry:5\rdata:\r\rdata: \r\n\r\n",
        """
        \u{FEFF}: comment\r\nid: 1\r\nevent: größer\r\ndata: €\r\ndata:  😀\r\n\r\n\
        retry: 250\rdata: two\r\rid\n\n\ndata: three\nunknown\n\ndata: four
        """,
    ])
    func chunkBoundariesDoNotChangeEvents(text: String) async throws {
        let document = Data(text.utf8)
        let events = try await ByteStream.make([document]).events.elements()

        #expect(!events.isEmpty)
        for pieces in document.everyCut {
            #expect(try await ByteStream.make(pieces).events.elements() == events, "\(pieces)")
        }
    }

    @Test func randomChunkBoundariesDoNotChangeEvents() async throws {
        var random = SeededGenerator(seed: 2)
        let parts = [
            "\n", "\n", "\r", "\r\n", "data:", "data", "event:", "id:", "id", "retry:", ":", " ",
            "12", "a", "é", "😀", "\u{FEFF}", "\0", "\u{301}",
        ]

        for _ in 0..<Stress.count(2_000) {
            var document = Data(String.random(of: parts, 0...60, using: &random).utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) where !document.isEmpty {
                let index = Int.random(in: 0..<document.count, using: &random)
                document[index] = UInt8.random(in: .min ... .max, using: &random)
            }
            let events = try await ByteStream.make([document]).events.elements()
            let pieces = ByteStream.make(document.cut(using: &random))

            #expect(try await pieces.events.elements() == events, "\(Array(document))")
        }
    }

    @Test func eventsArriveAsSent() async throws {
        var random = SeededGenerator(seed: 3)

        for _ in 0..<Stress.count(200) {
            let events = Self.randomEvents(using: &random)
            let server = MockServer { _ in .events(events) }
            let pieces = try await server.send(.make()).0.cut(using: &random)

            #expect(try await ByteStream.make(pieces).events.elements() == Self.received(events))
        }
    }

    @Test(
        arguments: [
            ("a", "data: a\n\n"), ("", "data: \n\n"),
            ("a\r\nb\rc\n", "data: a\ndata: b\ndata: c\ndata: \n\n"),
            (
                ServerSentEvent(data: " a", type: "x", id: "1", retry: .microseconds(1500)),
                "event: x\nid: 1\nretry: 1\ndata:  a\n\n"
            ),
            (
                ServerSentEvent(data: "", type: "", id: "", retry: .seconds(-1)),
                "event: \nid: \nretry: 0\ndata: \n\n"
            ),
            (
                ServerSentEvent(data: "a", retry: .seconds(Int64.max)),
                "retry: 9223372036854775807\ndata: a\n\n"
            ),
            // Neither adds a field or ends the event.
            (
                ServerSentEvent(data: "a", type: "x\ndata: b", id: "1\r\n\r\ndata: c\r2"),
                "event: xdata: b\nid: 1data: c2\ndata: a\n\n"
            ),
        ] as [(ServerSentEvent, String)])
    func encodedEventHasOneFieldALine(event: ServerSentEvent, text: String) {
        #expect(event.encoded == text)
    }

    private static func randomEvents(using random: inout SeededGenerator) -> [ServerSentEvent] {
        let parts = ["a", " ", ":", "é", "😀", "\u{301}", "data:", "\u{FEFF}", "\u{2028}", "\0"]
        let ends = ["\n", "\r", "\r\n"]
        return (0..<Int.random(in: 0...5, using: &random)).map { _ in
            func text(of parts: [String]) -> String {
                .random(of: parts, 0...60, using: &random)
            }
            return ServerSentEvent(
                data: text(of: parts + ends), type: "a" + text(of: parts),
                id: Bool.random(using: &random) ? text(of: parts.dropLast()) : nil,
                retry: Bool.random(using: &random)
                    ? .milliseconds(Int64.random(in: 0 ... .max, using: &random)) : nil)
        }
    }

    /// The events that a reader receives for events that a server sends.
    private static func received(_ events: [ServerSentEvent]) -> [ServerSentEvent] {
        var id: String?
        return events.map { event in
            if let own = event.id { id = own.isEmpty ? nil : own }
            return ServerSentEvent(
                data: event.data.withLineFeeds, type: event.type, id: id, retry: event.retry)
        }
    }
}
