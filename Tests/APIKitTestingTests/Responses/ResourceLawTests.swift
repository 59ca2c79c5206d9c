import APIKit
import APIKitTesting
import Foundation
import Testing

/// A resource and a plain model of RFC 9110 respond alike to random conditions and ranges.
@Suite(.inTurn) struct ResourceLawTests {
    private static let size = 6
    private static let body = Data("abcdef".utf8)
    private static let dates = [
        "Mon, 31 Aug 2026 10:00:00 GMT", "Tue, 01 Sep 2026 10:00:00 GMT",
        "Wed, 02 Sep 2026 10:00:00 GMT",
    ]
    private static let tags = ["\"a\"", "\"b\"", "W/\"a\"", "W/\"b\""]

    /// A list of entity tags: `*`, or tags of ``tags``.
    private struct TagList {
        var tags: [String]?

        init(using random: inout SeededGenerator) {
            let count = Int.random(in: 0...3, using: &random)
            tags = count == 0 ? nil : (0..<count).map { _ in ResourceLawTests.tag(&random) }
        }

        var text: String { tags.map { $0.joined(separator: ", ") } ?? "*" }

        func hasStrong(_ own: String?) -> Bool {
            guard let tags else { return true }
            return own.map { own in !own.hasPrefix("W") && tags.contains(own) } ?? false
        }

        func hasWeak(_ own: String?) -> Bool {
            guard let tags else { return true }
            return own.map { own in tags.contains { $0.suffix(3) == own.suffix(3) } } ?? false
        }
    }

    /// A request in numbers, and the response that the standard requires.
    private struct Exchange {
        var method: String
        /// The tag of the resource.
        var tag: String?
        /// The index of the date of the resource.
        var date: Int?
        var ifMatch: TagList?
        var ifNoneMatch: TagList?
        var ifUnmodifiedSince: Int?
        var ifModifiedSince: Int?
        var ifRangeTag: String?
        var ifRangeDate: Int?
        var first: Int?
        var last: Int?

        init(using random: inout SeededGenerator) {
            func sometimes<T>(_ value: (inout SeededGenerator) -> T) -> T? {
                Int.random(in: 0..<3, using: &random) == 0 ? value(&random) : nil
            }
            func index(_ random: inout SeededGenerator) -> Int {
                .random(in: 0..<3, using: &random)
            }
            func position(_ random: inout SeededGenerator) -> Int {
                .random(in: 0...ResourceLawTests.size + 1, using: &random)
            }
            method = ["GET", "GET", "HEAD", "PUT"][Int.random(in: 0..<4, using: &random)]
            if Bool.random(using: &random) { tag = ResourceLawTests.tag(&random) }
            if tag == nil || Bool.random(using: &random) { date = index(&random) }
            ifMatch = sometimes { TagList(using: &$0) }
            ifNoneMatch = sometimes { TagList(using: &$0) }
            ifUnmodifiedSince = sometimes(index)
            ifModifiedSince = sometimes(index)
            ifRangeTag = sometimes { ResourceLawTests.tag(&$0) }
            if ifRangeTag == nil { ifRangeDate = sometimes(index) }
            if Bool.random(using: &random) {
                first = sometimes(position) ?? 0
                last = sometimes(position)
                if last != nil, Bool.random(using: &random) { first = nil }
            }
        }

        var headers: [String: String] {
            let hasRange = first != nil || last != nil
            let range = "bytes=\(first.map(String.init) ?? "")-\(last.map(String.init) ?? "")"
            return [
                "If-Match": ifMatch?.text, "If-None-Match": ifNoneMatch?.text,
                "If-Unmodified-Since": ifUnmodifiedSince.map { dates[$0] },
                "If-Modified-Since": ifModifiedSince.map { dates[$0] },
                "If-Range": ifRangeTag ?? ifRangeDate.map { dates[$0] },
                "Range": hasRange ? range : nil,
            ].compactMapValues { $0 }
        }

        /// The steps of section 13.2.2.
        var expected: (status: Int, bytes: [Int]) {
            let all = Array(0..<size)
            let step1 = ifMatch.map { $0.hasStrong(tag) }
            if step1 == false { return (412, []) }
            if step1 == nil, let limit = ifUnmodifiedSince, let date, date > limit {
                return (412, [])
            }
            let step3 = ifNoneMatch.map { !$0.hasWeak(tag) }
            if step3 == false { return (method == "PUT" ? 412 : 304, []) }
            if step3 == nil, method != "PUT", let limit = ifModifiedSince, let date, date <= limit {
                return (304, [])
            }
            if method == "HEAD" { return (200, []) }
            guard method == "GET", first != nil || last != nil else { return (200, all) }
            if let ifRangeTag, ifRangeTag != tag || ifRangeTag.hasPrefix("W") { return (200, all) }
            if let ifRangeDate, ifRangeDate != date { return (200, all) }
            // Section 14.1.2.
            if let first, let last, last < first { return (200, all) }
            let selected = all.filter { index in
                guard let first else { return index >= size - (last ?? 0) }
                return index >= first && index <= last ?? index
            }
            return selected.isEmpty ? (416, []) : (206, selected)
        }
    }

    private static func tag(_ random: inout SeededGenerator) -> String {
        tags[Int.random(in: 0..<tags.count, using: &random)]
    }

    @Test func resourceIsAsTheStandardRequires() async throws {
        var random = SeededGenerator(seed: 9110)
        var counts: [Int: Int] = [:]
        for _ in 0..<Stress.count(2_000) {
            let exchange = Exchange(using: &random)
            var resource = MockResponse.data(Self.body)
            if let tag = exchange.tag { resource = resource.header("ETag", tag) }
            if let date = exchange.date {
                resource = resource.header("Last-Modified", Self.dates[date])
            }
            let server = MockServer()
            server.on(.any, reply: .resource(resource))

            let (data, response) = try await server.send(
                .make(exchange.method, headers: exchange.headers))

            let (status, bytes) = exchange.expected
            let head = try #require(response as? HTTPURLResponse)
            #expect(head.statusCode == status, "\(exchange)")
            #expect(Array(data) == bytes.map { Self.body[$0] }, "\(exchange)")
            let range: String? =
                switch status {
                case 206: "bytes \(bytes.first ?? -1)-\(bytes.last ?? -1)/\(Self.size)"
                case 416: "bytes */\(Self.size)"
                default: nil
                }
            #expect(head.value(forHTTPHeaderField: "Content-Range") == range, "\(exchange)")
            counts[status, default: 0] += 1
        }
        for status in [200, 206, 304, 412, 416] { #expect(counts[status, default: 0] > 0) }
    }
}
