import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// How few questions show what a parser reads.
@Suite(.inTurn) struct ParserProbeTests {
    @Test func elementsThatAreAlikeAreParsedOnce() throws {
        struct Dog: Decodable {
            struct Owner: Decodable { var name: String }
            var id: Int, owner: Owner
        }
        let sizes = Locked<[Int]>([])
        let request = Parsed { data in
            sizes.withLock { $0.append(data.count) }
            return try JSONDecoder().decode([Dog].self, from: data).map { "\($0.id)" }.joined()
        }
        let elements = (1...30).map { #"{"id": \#($0), "owner": {"name": "Ada"}}"# }
        let body = "[\(elements.joined(separator: ","))]"

        let uses = try MemberUses(of: request, in: Data(body.utf8))

        #expect(uses.required == ["[].id", "[].owner", "[].owner.name"])
        #expect(sizes.withLock { $0.count < 16 && $0.allSatisfy { $0 < 100 } })
    }

    @Test func parserThatNeedsAllElementsGetsThem() throws {
        let request = Parsed { data in
            let ids = try JSONDecoder().decode([[String: Int]].self, from: data)
            guard ids.count == 3 else { throw URLError(.cannotParseResponse) }
            return "\(ids)"
        }

        let uses = try MemberUses(of: request, in: Data(#"[{"a":1},{"a":2},{"a":3}]"#.utf8))

        #expect(uses.read == ["[].a"])
    }

    @Test func keysOfAMapAreProbedOnce() throws {
        struct Rates: Decodable, Sendable { var rates: [String: Double] }
        let count = Locked(0)
        let rates = (1...40).map { #""c\#($0)": 1.5"# }.joined(separator: ",")
        let request = Parsed {
            count.withLock { $0 += 1 }
            return try JSONDecoder().decode(Rates.self, from: $0)
        }

        let uses = try MemberUses(
            of: request, in: Data(#"{"base": "EUR", "rates": {\#(rates)}}"#.utf8))

        #expect(uses.required == ["rates"] && uses.read == ["rates.*"] && uses.ignored == ["base"])
        #expect(count.withLock { $0 } < 16)
    }

    @Test func longListOfNumbersIsProbedByItsFirst() throws {
        let sizes = Locked<[Int]>([])
        let request = Parsed { data in
            sizes.withLock { $0.append(data.count) }
            return try JSONDecoder().decode([Int].self, from: data)
        }

        _ = try MemberUses(of: request, in: Data("\(Array(1...100))".utf8))

        #expect(sizes.withLock { $0.allSatisfy { $0 < 100 } })
    }

    @Test func oneElementOfEachKindIsProbed() throws {
        let request = Parsed { data in
            let values = try JSONDecoder().decode([[String: String]].self, from: data)
            return "\(values.filter { $0["kind"] == "b" }.map { $0["note"] })"
        }
        let body = Data(#"[{"kind": "a", "note": "x"}, {"kind": "b", "note": "y"}]"#.utf8)

        #expect(try MemberUses(of: request, in: body).read == ["[].kind", "[].note"])
    }

    @Test func membersBeyondTheLimitCountAsRead() throws {
        let names = (1...100).map { #""m\#($0)": 1"# }.joined(separator: ",")
        let count = Locked(0)
        let request = Parsed { _ in
            count.withLock { $0 += 1 }
            return ""
        }

        let uses = try MemberUses(of: request, in: Data("{\(names)}".utf8))

        // Each ignored member takes three questions.
        #expect(uses.read.count + uses.ignored.count == 100)
        #expect(uses.read.count > 30 && count.withLock { $0 } < 210)
    }

    // One question is whether the parser takes any object.
    @Test(arguments: [("x", 199), (String(repeating: "x", count: 1 << 20), 10)])
    func bodyBeyondTheLimitIsNotChanged(text: String, limit: Int) throws {
        let response = ComparedResponse(
            url: URL(filePath: "/"), status: 200, fields: [:],
            body: Data(#"{"a": "\#(text)"}"#.utf8))
        let probe = try ParserProbe(of: response, by: ResponseParser(Get<[String: String]>()))
        var count = 0

        for _ in 0..<300 {
            _ = probe.use(of: [.member("a")]) { value in
                count += 1
                return value
            }
        }

        #expect(count == limit && !probe.isComplete)
    }

    @Test func whatLiesBelowAnIgnoredMemberIsNotAskedFor() throws {
        let count = Locked(0)
        struct Body: Decodable, Sendable { var read: [String: Int] }
        let parser = ResponseParser(type: "Body") {
            count.withLock { $0 += 1 }
            return try JSONDecoder().decode(Body.self, from: $0.value)
        }
        let names = (1...100).map { #""m\#($0)": 1"# }.joined(separator: ",")
        let response = ComparedResponse(
            url: URL(filePath: "/"), status: 200, fields: [:],
            body: Data(#"{"read": {"a": 1}, "ignored": {\#(names)}}"#.utf8))
        let probe = try ParserProbe(of: response, by: parser)
        count.withLock { $0 = 0 }

        for name in 1...100 {
            #expect(probe.use(of: [.member("ignored"), .member("m\(name)")]) == .ignored)
        }

        #expect(count.withLock { $0 } == 4, "The parser is asked for the whole member alone.")
    }

    @Test func listInAnElementKeepsItsFirstOne() throws {
        struct Dog: Decodable, Sendable {
            struct Tag: Decodable { var name: String }
            var tags: [Tag]
        }
        let sizes = Locked<[Int]>([])
        let request = Parsed { data -> [String] in
            sizes.withLock { $0.append(data.count) }
            return try JSONDecoder().decode([Dog].self, from: data).map { dog in
                guard let first = dog.tags.first else { throw URLError(.cannotParseResponse) }
                return first.name
            }
        }
        let dogs = (1...30).map { #"{"tags": [{"name": "a"}], "m\#($0 % 2)": 1}"# }

        let uses = try MemberUses(of: request, in: Data("[\(dogs.joined(separator: ","))]".utf8))

        #expect(uses.required == ["[].tags", "[].tags[].name"])
        #expect(sizes.withLock { $0.allSatisfy { $0 < 100 } })
    }

    @Test func sampleOfManyChoicesIsSmall() throws {
        let count = Locked(0)
        let request = Parsed { data -> Bool in
            let elements = try JSONDecoder().decode([[String: String]].self, from: data)
            count.withLock { $0 = max($0, elements.count) }
            return elements.isEmpty
        }
        // Each element has another value of one of ten members.
        let elements = (0..<190).map { index in
            let members = (0..<10).map { #""m\#($0)": "\#(index / 19 == $0 ? index % 19 : 99)""# }
            return "{\(members.joined(separator: ","))}"
        }

        _ = try MemberUses(of: request, in: Data("[\(elements.joined(separator: ","))]".utf8))

        #expect(20...21 ~= count.withLock { $0 })
    }

    @Test func memberThatHoldsAnythingIsReadAsAWhole() throws {
        struct Document: Decodable, Sendable { var title: String, paths: JSONValue }
        let count = Locked(0)
        let request = Parsed {
            count.withLock { $0 += 1 }
            return try JSONDecoder().decode(Document.self, from: $0)
        }
        let names = (1...30).map { #""m\#($0)": [{"a": 1}]"# }.joined(separator: ",")
        let body = Data(#"{"title": "x", "paths": {\#(names)}, "etag": 1}"#.utf8)

        let uses = try MemberUses(of: request, in: body)

        #expect(uses.required == ["paths", "title"] && uses.ignored == ["etag"])
        #expect(uses.read.count == 60 && uses.read.contains("paths.m7[].a"))
        #expect(count.withLock { $0 } < 20)
    }
}
