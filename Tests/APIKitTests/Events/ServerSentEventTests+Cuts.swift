import APIKitTesting
import Foundation
import Testing

@testable import APIKit

extension ServerSentEventTests {
    @Test(arguments: [
        "\u{FEFF}data: é€😀\r\n\r\ndata:b\r\r", "id:1\ndata\r\ndata: é\n\n\r\n:x\rdata",
        "event:é\rretry:5\rdata:\r\rdata: \r\n\r\n",
        """
        \u{FEFF}: comment\r\nid: 1\r\nevent: größer\r\ndata: €\r\ndata:  😀\r\n\r\n\
        retry: 250\rdata: two\r\rid\n\n\ndata: three\nunknown\n\ndata: four
        """,
    ])
    func chunkBoundariesDoNotChangeEvents(text: String) {
        let document = Data(text.utf8)
        let events = Self.events(in: [document])

        #expect(!events.isEmpty)
        for pieces in document.everyCut {
            #expect(Self.events(in: pieces) == events, "\(pieces)")
        }
    }

    @Test func randomChunkBoundariesDoNotChangeEvents() {
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
            let pieces = document.cut(using: &random)

            #expect(Self.events(in: pieces) == Self.events(in: [document]), "\(Array(document))")
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

    private static func events(in pieces: [Data]) -> [ServerSentEvent] {
        var parser = ServerSentEventParser()
        return pieces.flatMap { parser.events(in: $0) }
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
