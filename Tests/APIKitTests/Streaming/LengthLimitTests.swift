import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn, .timeLimit(.minutes(10))) struct LengthLimitTests {
    /// The sequences that buffer a part of a stream.
    enum Way: CaseIterable {
        case lines, jsonLines, events

        /// Reads a stream to its end, and returns the text of each element and the error.
        func read(
            _ stream: ByteStream, maxLength: Int
        ) async -> (elements: [String], error: (any Error)?) {
            var stream = stream
            stream.maxLength = maxLength
            var elements: [String] = []
            do {
                switch self {
                case .lines:
                    for try await line in stream.lines {
                        elements.append(line)
                    }
                case .jsonLines:
                    for try await value in stream.jsonLines(of: Int.self) {
                        elements.append("\(value)")
                    }
                case .events:
                    for try await event in stream.events {
                        elements.append(event.data)
                    }
                }
                return (elements, nil)
            } catch {
                return (elements, error)
            }
        }

        var complaint: String { self == .events ? "an event is" : "a line is" }
    }

    @Test(
        arguments: [
            (.lines, "123456\r\n1234567\n1", ["123456"]),
            (.lines, "123456\n123456789A", ["123456"]),
            (.lines, "\u{FEFF}123456789A", []), (.lines, "\u{FEFF}1234567\n", []),
            (.jsonLines, "1\n\n1234567\n2\n", ["1"]), (.jsonLines, "1\n\t\t\t\t\t\t\t\n", ["1"]),
            (.events, "data:1\n\ndata:12\n\ndata:3\n\n", ["1"]), (.events, ":123456\n", []),
            (.events, "data:1\n\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n\n", ["1"]),
            (.events, "data:1\n\nid:1234\n", ["1"]),
            (.events, "data:1\ndata:2\ndata:3\ndata:\ndata:\n\n", []),
        ] as [(Way, String, [String])])
    func elementThatIsTooLongEndsStream(way: Way, text: String, elements: [String]) async throws {
        for pieces in Data(text.utf8).everyCut {
            let context = try ByteStream.Context.make()
            let stream = ByteStream.make(pieces, context: context)
            let ends = stream.recordEnds()

            let (read, error) = await way.read(stream, maxLength: 6)

            #expect(read == elements, "\(pieces)")
            #expect(ends.current.count == 1)
            #expect(ends.current.first is APIError)
            let failure = try #require(error as? APIError)
            #expect(failure.kind == .decoding)
            #expect(failure.body.map { Data(text.utf8).range(of: $0) } != nil)
            // The cuts do not change the rest.
            guard pieces.count == 1 else { continue }
            #expect(failure.request == context.request)
            #expect(failure.response == context.http)
            #expect(
                failure.description == """
                    GET https://api.example.com/v1/dogs returned a body that cannot be \
                    decoded: \(way.complaint) longer than 6 bytes.
                    """)
        }
    }

    @Test(
        arguments: [
            (.lines, "123456\r\n\r123456", ["123456", "", "123456"]),
            (.lines, "\u{FEFF}123456", ["123456"]), (.jsonLines, "123456\n1", ["123456", "1"]),
            (.events, "data:1\n\ndata: \ndata: \n\n", ["1", "\n"]),
            // The data of an event has a line break after each line but the last.
            (.events, "data:1\ndata:2\ndata:3\ndata:\n\n", ["1\n2\n3\n"]),
            // The sum of the discarded fields has no limit.
            (.events, ":\n:\n:\n:\n:\nevent:\nevent:\nid:123\nid:123\ndata:1\n\n", ["1"]),
        ] as [(Way, String, [String])])
    func elementOfLongestLengthIsRead(way: Way, text: String, elements: [String]) async {
        for pieces in Data(text.utf8).everyCut {
            let (read, error) = await way.read(.make(pieces), maxLength: 6)

            #expect(read == elements, "\(pieces)")
            #expect(error == nil)
        }
    }

    /// Streams with an endless element.
    enum Endless: CaseIterable {
        case line, value, eventLine, event

        var way: Way {
            switch self {
            case .line: .lines
            case .value: .jsonLines
            case .eventLine, .event: .events
            }
        }

        /// The limit, which exceeds the part of a line that an error has.
        var limit: Int { self == .event ? 1 << 12 : 1 << 17 }

        /// Half as many bytes as the limit.
        var chunk: Data {
            let line = self == .event ? "data: a\n" : "aaaaaaaa"
            return Data(String(repeating: line, count: limit / 16).utf8)
        }
    }

    @Test(arguments: Endless.allCases)
    func endlessElementIsReadUpToLimit(endless: Endless) async throws {
        let chunks = Locked(0)
        let stream = ByteStream(
            AsyncStream {
                chunks.increment()
                return endless.chunk
            })

        let (read, error) = await endless.way.read(stream, maxLength: endless.limit)

        #expect(read.isEmpty)
        #expect((error as? APIError)?.body?.count ?? 0 <= 1 << 16)
        #expect((error as? APIError)?.kind == .decoding)
        // Each line of the event has eight bytes, of which two count as data.
        #expect(chunks.current <= (endless == .event ? 12 : 4))
    }

    @Test func limitIs16MebibytesByDefault() {
        #expect(ByteStream.make("").maxLength == 1 << 24)
    }
}
