import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn) struct MemberUsesTests {
    private struct Dog: Decodable {
        struct Owner: Decodable { var name: String }

        var id: Int
        var breed: String?
        var owner: Owner
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
        #expect(uses.ignored == ["[].etag", "[].owner.email", "[].tags"])
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
        struct Pup: Decodable { var birthDate: Date }

        let uses = try MemberUses(
            of: Snake<Pup>(), in: Data(#"{"birth_date": "2026-01-31T12:00:00Z", "x_y": 1}"#.utf8))

        #expect(uses.required == ["birth_date"] && uses.ignored == ["x_y"])
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

        for _ in 0..<4 {
            let uses = try MemberUses(of: Get<Everything>(), in: Data(body.utf8))

            #expect(uses.read == ["counts.*", "counts.*[].text"])
            #expect(uses.ignored == ["counts.*[].etag", "etag"])
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

    @Test func dictionaryOfAnythingDoesNotMakeAMap() throws {
        let body = Data(#"{"first": "a", "last": "b"}"#.utf8)

        let uses = try MemberUses(of: Get<JSONValue>(), in: body)

        #expect(uses.read == ["first", "last"])
    }

    @Test func keysThatAreNumbersMakeAMap() throws {
        let body = Data(#"{"17": "Rex", "18": "Max"}"#.utf8)

        #expect(try MemberUses(of: Get<[Int: String]>(), in: body).read == ["*"])
    }

    @Test func textOfAnotherMemberMakesNoMap() throws {
        struct Name: Decodable, Sendable { var first: String?, last: String }
        let body = Data(#"{"first": "a", "last": "firstx"}"#.utf8)

        #expect(try MemberUses(of: Get<Name>(), in: body).read == ["first"])
    }

    @Test func newIdentifierOfEachParseIsLeftOut() throws {
        struct Row: Decodable, Sendable {
            enum CodingKeys: CodingKey { case name }
            let id = UUID()
            var name: String
        }

        let uses = try MemberUses(of: Get<[Row]>(), in: Data(#"[{"name": "a", "etag": "x"}]"#.utf8))

        #expect(uses.required == ["[].name"] && uses.ignored == ["[].etag"])
    }

    @Test func anotherValueShowsWhatADefaultHides() throws {
        let request = Parsed { data in
            struct Body: Decodable {
                var isOpen: Bool
                enum CodingKeys: CodingKey { case isOpen }
                init(from decoder: any Decoder) throws {
                    let values = try decoder.container(keyedBy: CodingKeys.self)
                    isOpen = (try? values.decode(Bool.self, forKey: .isOpen)) ?? false
                }
            }
            return "\(try JSONDecoder().decode(Body.self, from: data).isOpen)"
        }

        #expect(
            try MemberUses(of: request, in: Data(#"{"isOpen": false}"#.utf8)).read == ["isOpen"])
    }

    @Test func parserOfBytesReadsEachMember() throws {
        let uses = try MemberUses(
            of: Parsed { $0 }, in: Data(#"{"a": 1, "b": 2, "c": 3, "d": {"e": 1, "f": 2}}"#.utf8))

        #expect(uses.read == ["a", "b", "c", "d", "d.e", "d.f"])
    }

    @Test func coordinatesKeepAllTheirNumbers() throws {
        let request = Parsed { data -> [Double] in
            let points = try JSONDecoder().decode([[Double]].self, from: data)
            return points.compactMap(\.last)
        }

        #expect(try MemberUses(of: request, in: Data("[[1.5, 2.5], [3, 4]]".utf8)).read == [])
    }

    @Test func propertiesOfASuperclassAndExactDatesAreCompared() throws {
        class Base: @unchecked Sendable { var at = Date() }
        final class Derived: Base, @unchecked Sendable {}
        let request = Parsed { data -> Derived in
            let body = try JSONDecoder().decode([String: Double].self, from: data)
            let output = Derived()
            output.at = Date(timeIntervalSinceReferenceDate: (body["at"] ?? 0) / 1_000)
            return output
        }

        #expect(try MemberUses(of: request, in: Data(#"{"at": 5}"#.utf8)).read == ["at"])
    }

    @Test func objectsThatReferToEachOtherAreComparedOnce() throws {
        final class Dog: @unchecked Sendable {
            let name: String
            var parents: [Dog] = []
            var children: [Dog] = []
            init(_ name: String) { self.name = name }
        }
        let request = Parsed { data -> Dog in
            struct Body: Decodable { var name: String? }
            let name = try JSONDecoder().decode(Body.self, from: data).name ?? ""
            let dogs = (0...9).map { Dog("\(name)\($0)") }
            let parent = try #require(dogs.first)
            parent.children = Array(dogs.dropFirst())
            for dog in parent.children { dog.parents = [parent] }
            return parent
        }

        let uses = try MemberUses(of: request, in: Data(#"{"name": "Rex", "tag": "x"}"#.utf8))

        #expect(uses.read == ["name"] && uses.ignored == ["tag"])
    }

    @Test func longChainOfObjectsIsComparedAtItsStart() throws {
        final class Link: @unchecked Sendable {
            let name: String
            let next: Link?
            init(_ name: String, _ next: Link?) { (self.name, self.next) = (name, next) }
        }
        let request = Parsed { data -> Link in
            let names = try JSONDecoder().decode([String: String].self, from: data)
            return (0..<5_000).reduce(Link("", nil)) { next, _ in Link(names["name"] ?? "", next) }
        }

        #expect(try MemberUses(of: request, in: Data(#"{"name": "Rex"}"#.utf8)).read == ["name"])
    }

    @Test func dictionaryThatHoldsAnythingMakesNoMap() throws {
        struct Open: @unchecked Sendable { var values: [String: Any]? }
        let body = Data(#"{"first": "a", "last": "b"}"#.utf8)
        let open = Parsed {
            Open(values: try JSONSerialization.jsonObject(with: $0) as? [String: Any])
        }

        #expect(try MemberUses(of: open, in: body).read == ["first", "last"])
        #expect(
            try MemberUses(of: Get<[String: JSONValue]>(), in: body).read == ["first", "last"])
        #expect(try MemberUses(of: Get<[String: String]>(), in: body).read == ["*"])
    }

    @Test func memberBesideTheWholeObjectIsRequired() throws {
        struct Raw: Decodable, Sendable {
            enum CodingKeys: CodingKey { case id }
            var id: Int
            var all: JSONValue
            init(from decoder: any Decoder) throws {
                id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
                all = try JSONValue(from: decoder)
            }
        }

        let uses = try MemberUses(of: Get<Raw>(), in: Data(#"{"id": 1, "name": "Rex"}"#.utf8))

        #expect(uses.required == ["id"] && uses.read == ["name"])
    }
}
