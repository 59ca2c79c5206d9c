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
}

extension [RecordedRequest] {
    /// Whether each request is conditional, in order.
    var conditions: [Bool] { map(\.isConditional) }
}

extension MockResponse {
    /// A resource with the entity tag "1".
    static func tagged(_ text: String = "body") -> MockResponse {
        .resource(.text(text).header("ETag", "\"1\""))
    }

    /// A resource with the entity tag "1".
    static func tagged(_ content: Data) -> MockResponse {
        .resource(.data(content).header("ETag", "\"1\""))
    }

    /// A 206 with all bytes from an offset, and the entity tag "1".
    static func rest(of content: Data, from start: Int) -> MockResponse {
        part(
            Data(content[start...]),
            range: "bytes \(start)-\(content.count - 1)/\(content.count)")
    }

    /// A 206 with a range, and the entity tag "1".
    static func part(_ content: Data, range: String?) -> MockResponse {
        let part = MockResponse.data(content, status: 206).header("ETag", "\"1\"")
        return range.map { part.header("Content-Range", $0) } ?? part
    }
}
