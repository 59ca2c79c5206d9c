import APIKit
import APIKitTesting
import Foundation

extension Comparison {
    static let growthOfStreams =
        linear("ByteStream.events", each: "event") { count in
            let text = String(repeating: "event: delta\ndata: the next few words\n\n", count: count)
            let chunks = chunks(of: text)
            return {
                var events = 0
                for try await _ in ByteStream(chunks.stream).events { events += 1 }
                return events == count
            }
        }
        + linear("ByteStream.events, one event", each: "data line") { count in
            let text = String(repeating: "data: the next few words\n", count: count) + "\n"
            let chunks = chunks(of: text)
            return {
                var lengths: [Int] = []
                for try await event in ByteStream(chunks.stream).events {
                    lengths.append(event.data.utf8.count)
                }
                return lengths == [19 * count - 1]
            }
        }
        + linear("ByteStream.lines", each: "line") { count in
            let chunks = chunks(of: String(repeating: "the next few words\n", count: count))
            return {
                var lines = 0
                for try await _ in ByteStream(chunks.stream).lines { lines += 1 }
                return lines == count
            }
        }
        + linear("ByteStream.lines, one line", each: "chunk") { count in
            let chunks = Array(repeating: Data("the next few words".utf8), count: count)
            return {
                var lengths: [Int] = []
                for try await line in ByteStream(chunks.stream).lines {
                    lengths.append(line.utf8.count)
                }
                return lengths == [18 * count]
            }
        }
        + linear("ByteStream.jsonLines", each: "line") { count in
            let chunks = chunks(of: String(repeating: #"{"name":"Ada"}"# + "\n", count: count))
            return {
                var lines = 0
                for try await _ in ByteStream(chunks.stream).jsonLines(of: [String: String].self) {
                    lines += 1
                }
                return lines == count
            }
        }
        + linear("MockServer.stream", each: "chunk") { count in
            let server = MockServer()
            server.on(
                .any, reply: .stream(Array(repeating: Data("words".utf8), count: count)))
            let request = try URLRequest(to: "https://a.example")
            return {
                try await server.stream(request).0.data().count == 5 * count
            }
        }

    private static func chunks(of text: String) -> [Data] {
        let data = Data(text.utf8)
        return stride(from: 0, to: data.count, by: 16_384).map { start in
            data[start..<min(start + 16_384, data.count)]
        }
    }
}

extension [Data] {
    var stream: AsyncStream<Data> {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        for chunk in self { continuation.yield(chunk) }
        continuation.finish()
        return stream
    }
}
