import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn) struct RequestTypeLawTests {
    private struct Parts {
        var method: HTTPMethod = .get
        var segments: [String] = []
        var query: [(name: String, value: String)] = []
        var body: HTTPBody?

        var request: AnyRequest {
            AnyRequest { [self] in
                let path = segments.map(\.encoded).joined(separator: "/")
                var items: QueryItems = [:]
                for item in query { items.append(item.name, item.value) }
                return try URLRequest(method, APIPath(verbatim: path), query: items, body: body)
            }
        }
    }

    private static let texts = [
        "a", "Z", "7", "&", "=", "+", "%", "%20", " ", ";", "é", "🐕", "#", "?", "/", "\"", "[",
        "{id}", "*", "**", ":", "@", "'", "|",
    ]
    private static let methods: [HTTPMethod] = [.get, .post, .put, .delete, "PURGE"]

    private func text(using random: inout SeededGenerator) -> String {
        .random(of: Self.texts, 1...5, using: &random)
    }

    private func items(using random: inout SeededGenerator) -> [(name: String, value: String)] {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
            (text(using: &random), text(using: &random))
        }
    }

    private func parts(using random: inout SeededGenerator) throws -> Parts {
        var parts = Parts(
            method: Self.methods.randomElement(using: &random) ?? .get,
            segments: (0..<Int.random(in: 1...4, using: &random)).map { _ in text(using: &random) },
            query: items(using: &random))
        switch Int.random(in: 0...4, using: &random) {
        case 0: parts.body = .form(form(["x": "y"], using: &random))
        case 1: parts.body = try .json(RandomJSON(using: &random))
        case 2: parts.body = .data(.random(1...20, using: &random))
        case 3: parts.body = .multipart([text(using: &random): .text(text(using: &random))])
        default: break
        }
        return parts
    }

    private func form(_ first: QueryItems, using random: inout SeededGenerator) -> QueryItems {
        items(using: &random).reduce(into: first) { $0.append($1.name, $1.value) }
    }

    private func changed(_ parts: Parts, using random: inout SeededGenerator) -> Parts {
        var parts = parts
        switch Int.random(in: 0...4, using: &random) {
        case 0: parts.method = parts.method == .patch ? .put : .patch
        case 1: parts.segments[parts.segments.count - 1] += "x"
        case 2: parts.segments.insert("x" + parts.segments.removeFirst(), at: 0)
        case 3: parts.query.append(("x", "y"))
        default: parts.body = parts.body == nil ? .form(["x": "y"]) : nil
        }
        return parts
    }

    @Test func requestTypeMatchesItsOwnRequestsAndNoChangedOnes() async throws {
        var random = SeededGenerator(seed: 3986)
        let bases = [
            "https://h.example", "https://h.example/", "http://h.example:81/v1", "https://h/a%20b/",
        ]
        for _ in 0..<Stress.count(250) {
            let server = MockServer(unhandled: .reply(.status(200)))
            let base = try #require(bases.randomElement(using: &random))
            let client = APIClient(baseURL: URL(string: base), transport: server)
            let parts = try parts(using: &random)
            let pattern = RequestPattern.request(parts.request)

            _ = try await client.load(parts.request)
            #expect(server.requests(matching: pattern).count == 1, "\(pattern)")

            _ = try await client.load(changed(parts, using: &random).request)
            #expect(server.requests(matching: pattern).count == 1, "\(pattern)")
            #expect(server.failures.isEmpty)
        }
    }
}

extension String {
    /// The text with every byte but those of letters and digits percent-encoded.
    fileprivate var encoded: String {
        addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
}
