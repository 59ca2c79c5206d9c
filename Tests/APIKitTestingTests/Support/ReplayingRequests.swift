import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// A suite that compares the requests of entries.
protocol ReplayingRequests {}

extension ReplayingRequests {
    func compared(
        _ entries: [RecordedExchange], _ placeholders: [String] = [],
        _ components: [Cassette.Component] = [.method, .url, .body]
    ) -> ReplayKeys {
        ReplayKeys(
            of: entries.map(\.request), placeholders,
            for: Cassette("a", matching: components))
    }

    func key(
        _ entry: RecordedExchange, _ components: [Cassette.Component] = [.method, .url, .body]
    ) -> NamedValues {
        compared([], [], components).key(of: entry.request)
    }

    /// Returns the pattern of a recorded request.
    func pattern(
        _ recorded: RecordedExchange, _ components: [Cassette.Component] = [.method, .url, .body],
        _ placeholders: [String] = []
    ) throws -> RequestPattern {
        let compared = compared([recorded], placeholders, components)
        return compared.pattern(try #require(compared.recorded.first), of: recorded.request)
    }

    /// Returns whether a recorded request matches another one.
    func matches(
        _ recorded: RecordedExchange, _ other: RecordedExchange,
        _ components: [Cassette.Component] = [.method, .url, .body]
    ) throws -> Bool {
        try pattern(recorded, components).matches(other.request)
    }

    /// Returns the differences between a recorded request and another one, on one line.
    func differences(
        _ recorded: RecordedExchange, _ other: RecordedExchange,
        _ components: [Cassette.Component] = [.method, .url, .body]
    ) throws -> String {
        var list = LimitedList()
        try pattern(recorded, components)
            .addDifferences(
                from: ComparedRequest(other.request), to: &list)
        return list.textOnOneLine
    }

    func post(_ body: String, _ type: String?) -> RecordedExchange {
        .make("POST", "/", headers: type.map { ["content-type": $0] } ?? [:], body: body)
    }

    func multipart(_ boundary: String, _ value: String = "1") -> RecordedExchange {
        post(
            """
            --\(boundary)\r
            Content-Disposition: form-data; name="id"\r
            \r
            \(value)\r
            --\(boundary)--\r

            """, "multipart/form-data; boundary=\(boundary)")
    }
}
