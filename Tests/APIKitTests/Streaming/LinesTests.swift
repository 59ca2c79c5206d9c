import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn) struct LinesTests {
    private struct Broken: Error {}

    @Test(arguments: [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\r", ["a"]), ("a\r\n", ["a"]),
        ("a\nb\rc\r\nd", ["a", "b", "c", "d"]),
        // Empty lines.
        ("\n", [""]), ("\r", [""]), ("\r\n", [""]), ("\n\n", ["", ""]), ("\r\r", ["", ""]),
        ("\r\n\r\n", ["", ""]), ("\n\r", ["", ""]), ("\r\r\n\n", ["", "", ""]),
        ("a\n\nb\n", ["a", "", "b"]),
        // Characters that end a line only in other parsers.
        ("a\u{B}b\u{C}c\u{85}d", ["a\u{B}b\u{C}c\u{85}d"]),
        ("a\u{2028}b\u{2029}c\0d", ["a\u{2028}b\u{2029}c\0d"]),
        // Only the start of the text can be a byte order mark.
        ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]), ("\u{FEFF}\u{FEFF}a", ["\u{FEFF}a"]),
        ("\u{FEFF}", []), ("\u{FEFF}\n", [""]), ("\n\u{FEFF}", ["", "\u{FEFF}"]),
        // A combining character after a line ending starts the next line.
        ("a\n\u{301}b", ["a", "\u{301}b"]),
    ])
    func anyLineEndingEndsLine(text: String, lines: [String]) async throws {
        #expect(try await ByteStream.make(text).lines.elements() == lines)
    }

    @Test(arguments: [
        "one\ntwo\r\nthree\rfour", "\u{FEFF}é\r\n€\r\r\n😀\n\n", "\r\n\r\n\r\r\n\n",
        "\u{FEFF}\u{FEFF}\n\u{FEFF}é", "\u{FEFF}", "né\u{2028}\r\n😀\r",
        String(repeating: "Ein längerer Text,\r\nmit € und 😀\r\r\n\n", count: 4),
    ])
    func chunkBoundariesDoNotChangeLines(text: String) async throws {
        let document = Data(text.utf8)
        let lines = Self.lines(of: document)

        for pieces in document.everyCut {
            #expect(try await ByteStream.make(pieces).lines.elements() == lines, "\(pieces)")
        }
    }

    @Test func randomChunkBoundariesDoNotChangeLines() async throws {
        var random = SeededGenerator(seed: 1)
        let parts = ["\n", "\r", "\r\n", "a", "some words", "é", "€", "😀", "\u{FEFF}", "\0"]

        for _ in 0..<Stress.count(500) {
            let document = Data(String.random(of: parts, 0...60, using: &random).utf8)
            let pieces = document.cut(using: &random)

            #expect(
                try await ByteStream.make(pieces).lines.elements() == Self.lines(of: document),
                "\(Array(document))")
        }
    }

    @Test func sliceOfDataIsSplit() {
        let slice = Data("a\nb\nc\nd".utf8).dropFirst(2).dropLast(2)
        var splitter = LineSplitter()

        #expect(splitter.lines(in: slice) == [Data("b".utf8)])
        #expect(splitter.rest() == Data("c".utf8))
        #expect(splitter.rest() == nil)
    }

    @Test func lineIsReturnedAsSoonAsItEnds() {
        var splitter = LineSplitter()

        #expect(splitter.lines(in: Data("a\r".utf8)) == [Data("a".utf8)])
        #expect(splitter.lines(in: Data()) == [])
        #expect(splitter.lines(in: Data("\n".utf8)) == [])
        #expect(splitter.lines(in: Data("\n".utf8)) == [Data()])
        #expect(splitter.rest() == nil)
    }

    @Test(.timeLimit(.minutes(10)))
    func splittingTakesLinearTime() throws {
        var splitter = LineSplitter()
        let chunk = Data(repeating: UInt8(ascii: "a"), count: 32)
        let count = Stress.isFull ? 300_000 : 5_000

        for _ in 0..<count {
            try Task.checkCancellation()
            try #require(splitter.lines(in: chunk).isEmpty)
        }

        #expect(splitter.rest()?.count == count * 32)
    }

    @Test(
        arguments: [
            [0xFF], [0x61, 0x80], [0xC0, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80],
            [0xF0, 0x90, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xEF, 0xBB],
        ] as [[UInt8]])
    func lineOfInvalidUTF8EndsStream(bytes: [UInt8]) async throws {
        let context = try ByteStream.Context.make()
        let stream = ByteStream.make(
            [Data("one\n".utf8) + bytes + Data("\ntwo\n".utf8)], context: context)
        let ends = stream.recordEnds()
        var lines = stream.lines.makeAsyncIterator()

        #expect(try await lines.next() == "one")
        let error = await expectError(.decoding) { try await lines.next() }
        #expect(error?.body == Data(bytes))
        #expect(error?.request == context.request)
        #expect(error?.response == context.http)
        #expect(
            error?.description == """
                GET https://api.example.com/v1/dogs returned a body that cannot be \
                decoded: The line is not UTF-8 text.
                """)
        #expect(ends.current.count == 1)
        #expect(ends.current.first is APIError)
        await #expect(throws: APIError.self) { try await lines.next() }
    }

    @Test func invalidUTF8WithoutContextIsAnError() async {
        let stream = ByteStream.make([Data([0xFF])])

        let error = await expectError(.decoding) { try await stream.lines.elements() }
        #expect(error?.body == Data([0xFF]))
        #expect(error?.underlying is DecodingError)
    }

    @Test func linesPrecedeErrorOfStream() async throws {
        let stream = ByteStream.make([Data("one\ntwo\nthr".utf8)], throwing: Broken())
        var lines = stream.lines.makeAsyncIterator()

        #expect(try await lines.next() == "one")
        #expect(try await lines.next() == "two")
        await #expect(throws: Broken.self) { try await lines.next() }
        await #expect(throws: Broken.self) { try await lines.next() }
    }

    @Test func exitFromLoopEndsStream() async throws {
        let stream = ByteStream.make("one\ntwo\n")
        let ends = stream.recordEnds()

        for try await _ in stream.lines { break }

        #expect(ends.current.count == 1)
        #expect(ends.current.first is CancellationError)
    }

    @Test func linesAreReadWithoutActorHops() async throws {
        let reader = LineCountingActor()

        #expect(try await reader.countLines(of: .make(String(repeating: "a\n", count: 500))) == 500)
        #expect(reader.executor.jobs.current < 50)
    }

    /// The lines of a whole text, found by an independent implementation.
    private static func lines(of document: Data) -> [String] {
        let text = String(decoding: document, as: UTF8.self).withLineFeeds.unicodeScalars
        var lines = text.dropFirst(text.first == "\u{FEFF}" ? 1 : 0)
            .split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        if lines.last == "" { lines.removeLast() }
        return lines
    }
}

/// An actor that reads lines, and counts the jobs of its executor.
private actor LineCountingActor {
    nonisolated let executor = CountingExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func countLines(of stream: ByteStream) async throws -> Int {
        var lines = stream.lines.makeAsyncIterator()
        var count = 0
        while try await lines.next(isolation: self) != nil { count += 1 }
        return count
    }
}

/// An executor that counts its jobs.
private final class CountingExecutor: SerialExecutor {
    let jobs = Locked(0)
    private let queue = DispatchQueue(label: "CountingExecutor")

    func enqueue(_ job: UnownedJob) {
        jobs.increment()
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }
}
