import APIKit
import Foundation

extension Comparison {
    static let texts = [
        Comparison(.events, to: .bareEvents),
        Comparison(.lines, to: .bareLines),
    ]
}

extension Workload {
    /// Events as a language model sends them.
    private static let text = Data(
        (0..<10_000).map { number in
            """
            event: delta
            data: {"index":\(number),"delta":{"type":"text","text":" the next few words"}}


            """
        }.joined().utf8)

    private static let eventCount = 10_000
    private static let lineCount = 30_000

    fileprivate static let events = Workload("ByteStream.events", byteCount: text.count) {
        return {
            var count = 0
            for try await event in stream(of: text).events where event.type == "delta" {
                count += 1
            }
            try WrongResult.unless(count == eventCount)
        }
    }

    /// Parses only the part of the standard that these events use, with all of them in memory.
    fileprivate static let bareEvents = Workload(
        "bytes split at LF, all in memory", byteCount: text.count
    ) {
        return {
            var events: [(event: String, data: String)] = []
            var (event, data) = ("", "")
            for line in text.split(separator: lineFeed, omittingEmptySubsequences: false) {
                if line.isEmpty, !data.isEmpty {
                    events.append((event, data))
                    (event, data) = ("", "")
                } else if line.starts(with: "event: ".utf8) {
                    event = String(decoding: line.dropFirst(7), as: UTF8.self)
                } else if line.starts(with: "data: ".utf8) {
                    data = String(decoding: line.dropFirst(6), as: UTF8.self)
                }
            }
            try WrongResult.unless(events.count == eventCount)
        }
    }

    fileprivate static let lines = Workload("ByteStream.lines", byteCount: text.count) {
        return {
            var count = 0
            for try await _ in stream(of: text).lines { count += 1 }
            try WrongResult.unless(count == lineCount)
        }
    }

    fileprivate static let bareLines = Workload(
        "bytes split at LF into strings, all in memory", byteCount: text.count
    ) {
        return {
            let lines = text.split(separator: lineFeed, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            try WrongResult.unless(lines.count == lineCount + 1)
        }
    }

    private static let lineFeed = UInt8(ascii: "\n")

    /// Returns a stream in chunks of 16 KiB, as a network delivers it.
    private static func stream(of data: Data) -> ByteStream {
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        for start in stride(from: 0, to: data.count, by: 16_384) {
            continuation.yield(data[start..<min(start + 16_384, data.count)])
        }
        continuation.finish()
        return ByteStream(chunks)
    }
}
