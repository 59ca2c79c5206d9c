import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite struct MemberUsesTests {
    private struct Dog: Decodable {
        struct Owner: Decodable { var name: String }

        var id: Int
        var breed: String?
        var owner: Owner
    }

    private struct Get<Output: Decodable & Sendable>: APIRequest {
        typealias ResponseDataType = Output

        func makeRequest(from: Void) throws -> URLRequest { try URLRequest(.get, "dogs") }
    }

    /// A request type with a given parser.
    private struct Parsed: APIRequest {
        let parse: @Sendable (Data) throws -> String

        func makeRequest(from: Void) throws -> URLRequest { try URLRequest(.get, "dogs") }
        func parseResponse(data: Data) throws -> String { try parse(data) }
    }

    private let dogs = Data(
        #"""
        [{"id": 1, "breed": "akita", "etag": "x", "owner": {"name": "Ada", "email": null}},
         {"id": 2, "tags": ["a", {"name": 1}], "owner": {"name": "Eve"}}]
        """#.utf8)

    @Test func membersAreRequiredReadOrIgnored() throws {
        let uses = try MemberUses(of: Get<[Dog]>(), in: dogs)

        #expect(uses.required == ["[].id", "[].owner", "[].owner.name"])
        #expect(uses.read == ["[].breed"])
        #expect(uses.ignored == ["[].etag", "[].owner.email", "[].tags", "[].tags[].name"])
    }

    @Test func memberWithADefaultIsRead() throws {
        let request = Parsed { data in
            let json = try JSONDecoder().decode([String: String].self, from: data)
            return json["name"] ?? "Rex"
        }

        let uses = try MemberUses(of: request, in: Data(#"{"name": "Rex", "kind": "dog"}"#.utf8))

        #expect(uses.read == ["kind", "name"], "Another kind of value cannot be decoded.")
        #expect(uses.required == [])
    }

    @Test func memberOfARenamedKeyIsThatOfTheBody() throws {
        struct Snake: APIRequest {
            struct Output: Decodable { var birthDate: Date }
            typealias ResponseDataType = Output

            var decoder: any ResponseDecoder {
                let decoder = JSONDecoder()
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                decoder.dateDecodingStrategy = .iso8601
                return decoder
            }

            func makeRequest(from: Void) throws -> URLRequest { try URLRequest(.get, "dog") }
        }

        let uses = try MemberUses(
            of: Snake(), in: Data(#"{"birth_date": "2026-01-31T12:00:00Z", "x_y": 1}"#.utf8))

        #expect(uses.required == ["birth_date"] && uses.ignored == ["x_y"])
    }

    @Test func elementsThatAreAlikeAreParsedOnce() throws {
        let sizes = Locked<[Int]>([])
        let request = Parsed { data in
            sizes.withLock { $0.append(data.count) }
            return try JSONDecoder().decode([Dog].self, from: data).map { "\($0.id)" }.joined()
        }
        let elements = (1...1_000).map { #"{"id": \#($0), "owner": {"name": "Ada"}}"# }
        let body = "[\(elements.joined(separator: ","))]"

        let uses = try MemberUses(of: request, in: Data(body.utf8))

        #expect(uses.required == ["[].id", "[].owner", "[].owner.name"])
        #expect(sizes.withLock { $0.count == 8 && $0.allSatisfy { $0 < 100 } })
    }

    @Test func parserThatNeedsAllElementsGetsThem() throws {
        let request = Parsed { data in
            let ids = try JSONDecoder().decode([[String: Int]].self, from: data)
            guard ids.count == 3 else { throw URLError(.cannotParseResponse) }
            return "\(ids)"
        }

        let uses = try MemberUses(of: request, in: Data(#"[{"a":1},{"a":2},{"a":3}]"#.utf8))

        #expect(uses == (try MemberUses(of: Get<[[String: Int]]>(), in: Data(#"[{"a":1}]"#.utf8))))
        #expect(uses.read == ["[].a"])
    }

    @Test func outputsAreComparedByAllTheirProperties() throws {
        struct Tag: Decodable, Hashable, Sendable {
            var id: Int
            var text: String?

            static func == (first: Self, second: Self) -> Bool { first.id == second.id }
        }
        struct Everything: Decodable, Sendable {
            var data: Data
            var date: Date
            var url: URL
            var tags: Set<String>
            var counts: [String: [Tag]]
        }
        let body = #"""
            {"data": "aGVsbG8gd29ybGQgaGVsbG8gd29ybGQ=", "date": 1, "url": "https://a.example/b",
             "tags": ["a", "b", "c"], "etag": "x",
             "counts": {"a": [{"id": 1, "text": "x", "etag": "y"}], "b": [], "c": []}}
            """#

        for _ in 0..<10 {
            let uses = try MemberUses(of: Get<Everything>(), in: Data(body.utf8))

            #expect(uses.read == ["counts.a", "counts.a[].text", "counts.b", "counts.c"])
            #expect(uses.ignored == ["counts.a[].etag", "etag"])
        }
    }

    @Test func bodyThatCannotBeParsedHasTheErrorOfTheParser() {
        #expect(throws: DecodingError.self) { try MemberUses(of: Get<[Dog]>(), in: Data("<".utf8)) }
        #expect(throws: DecodingError.self) {
            try MemberUses(of: Get<[Dog]>(), in: Data(#"[{"id": 1}]"#.utf8))
        }
        #expect(throws: URLError.self) {
            try MemberUses(
                of: Parsed { _ in throw URLError(.cannotParseResponse) }, in: Data("{}".utf8))
        }
    }
}
