import APIKitTesting
import Foundation

extension RecordedRequest {
    /// Whether the request has a condition that `ETagCache` adds.
    var isConditional: Bool {
        header("If-None-Match") != nil || header("If-Modified-Since") != nil
    }

    /// The first byte of the requested range, or `nil` if the request has no range.
    var rangeStart: Int? {
        header("Range").flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
    }

    /// Replies with a text and its entity tag, or with 304 if the request names that tag.
    func reply(
        _ text: String = "body", tag: String = "\"1\"", headers: [String: String] = [:]
    ) -> MockResponse {
        let response: MockResponse =
            header("If-None-Match") == tag ? .status(304) : .text(text)
        return headers.reduce(response.header("ETag", tag)) { $0.header($1.key, $1.value) }
    }

    /// Replies with the requested range of the content, or with all of it if its tag has changed.
    func reply(_ content: Data, tag: String = "\"1\"") -> MockResponse {
        guard let start = rangeStart, header("If-Range") == tag else {
            return .data(content).header("ETag", tag)
        }
        return .rest(of: content, from: start).header("ETag", tag)
    }
}

extension [RecordedRequest] {
    /// Whether each request is conditional, in order.
    var conditions: [Bool] { map(\.isConditional) }
}

extension MockResponse {
    /// A 206 with all bytes from an offset.
    static func rest(of content: Data, from start: Int) -> MockResponse {
        .data(Data(content[start...]), status: 206)
            .header("Content-Range", "bytes \(start)-\(content.count - 1)/\(content.count)")
    }
}
