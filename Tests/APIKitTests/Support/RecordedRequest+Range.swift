import APIKitTesting
import Foundation

extension RecordedRequest {
    /// The first byte that is asked for, if not all are.
    var rangeStart: Int? {
        header("Range").flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
    }

    /// Answers as the owner of some bytes: with the rest to whoever has the start of them.
    func answer(_ content: Data, tag: String = "\"1\"") -> MockResponse {
        guard let start = rangeStart, header("If-Range") == tag else {
            return .data(content).header("ETag", tag)
        }
        return .rest(of: content, from: start).header("ETag", tag)
    }
}

extension MockResponse {
    /// A 206 with all bytes from one on.
    static func rest(of content: Data, from start: Int) -> MockResponse {
        .data(Data(content[start...]), status: 206)
            .header("Content-Range", "bytes \(start)-\(content.count - 1)/\(content.count)")
    }
}
