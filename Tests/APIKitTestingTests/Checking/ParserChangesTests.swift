import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// Changes with which the client gets less, and changes that it does not notice.
@Suite(.inTurn) struct ParserChangesTests: ComparingResponses {
    private struct Price: Decodable, Sendable { var price: Int }

    @Test func refusedBodyNamesTheMemberAsTheBodyDoes() {
        struct Pup: Decodable { var birthDate: String }

        #expect(
            lines(
                response(#"{"birth_date": "x", "id": 1}"#), response(#"{"id": 1}"#),
                as: Snake<Pup>()
            ).first?.hasPrefix(
                "failure: birth_date is gone. Snake<ParserChangesTests.Pup> cannot parse the body: "
            ) == true)
        #expect(
            lines(response(#"{"price": 10}"#), response(#"{"price": 10.5}"#), as: Get<Price>())
                .first?.hasPrefix(
                    "failure: price is no longer whole. Get<ParserChangesTests.Price> cannot parse "
                        + "the body: ") == true)
    }

    @Test func errorThatNoChangeExplainsIsTheFailure() {
        struct Switch: Decodable, Sendable {
            enum Status: String, Decodable { case on, off }
            var status: Status
        }

        let lines = lines(
            response(#"{"status": "on", "x": 1}"#), response(#"{"status": "idle"}"#),
            as: Get<Switch>())
        #expect(lines.count == 1)
        #expect(
            lines.first?.hasPrefix(
                "failure: Get<ParserChangesTests.Switch> cannot parse the body: ") == true)
    }

    @Test func memberThatOtherDataLackIsNamedIfTheBodyIsRefused() {
        struct Dog: Decodable { var id: Int, name: String }

        #expect(
            lines(
                response(#"{"id": 1, "name": "Rex"}"#), response(#"{"id": 2}"#), as: Get<Dog>()
            ).first?.hasPrefix(
                "failure: name is gone. Get<ParserChangesTests.Dog> cannot parse the body: ")
                == true)
    }

    @Test func memberThatIsGoneNamesWhatTheClientLacks() {
        struct Issue: Decodable, Sendable {
            struct User: Decodable { var login: String }
            var id: Int
            var assignee: User?
        }
        let old = response(#"{"id": 1, "assignee": {"login": "ada"}, "url": "a"}"#)
        let new = response(#"{"id": 1, "assignees": [{"login": "ada"}]}"#)

        let changes = ResponseChanges(
            from: [old], to: [new], readBy: ResponseParser(Get<Issue>()))

        #expect(
            changes.warnings == [
                "assignee is gone; assignees is new. Get<ParserChangesTests.Issue> gives nil for assignee."
            ])
        #expect(changes.lineOfOthers == "\n2 other changes that this client does not notice.")
    }

    @Test func textThatTheParserNoLongerReadsIsAWarning() {
        struct Day: Decodable, Sendable {
            enum CodingKeys: CodingKey { case at }
            var at: Date?
            init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: CodingKeys.self)
                let text = try values.decode(String.self, forKey: .at)
                at = try? Date(text + "T00:00:00Z", strategy: .iso8601)
            }
        }
        struct Plain: Decodable, Sendable { var at: String }
        let (old, new) = (response(#"{"at": "2026-01-02"}"#), response(#"{"at": "01/02/2026"}"#))

        #expect(
            lines(old, new, as: Get<Day>())
                == [
                    "warning: at is now written in another way. Get<ParserChangesTests.Day> gives nil for at."
                ])
        #expect(lines(old, new, as: Get<Plain>()) == [])
        #expect(lines(old, new) == ["warning: at is now written in another way."])
    }

    @Test func textThatTheParserReadsInOtherElementsIsNoWarning() {
        struct Day: Decodable, Sendable {
            enum CodingKeys: CodingKey { case at }
            var at: Date?
            init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: CodingKeys.self)
                at = try? Date(
                    values.decode(String.self, forKey: .at) + "T00:00:00Z", strategy: .iso8601)
            }
        }
        let old = response(#"[{"at": "2026-01-02"}]"#)

        #expect(
            lines(old, response(#"[{"at": ""}, {"at": "2026-01-03"}]"#), as: Get<[Day]>()) == [])
        #expect(lines(old, response(#"[{"at": "soon"}]"#), as: Get<[Day]>()).count == 1)
    }

    @Test func kindThatTheParserHidesIsAWarningAndOneThatItReadsIsNot() {
        struct Lossy: Decodable, Sendable {
            enum CodingKeys: CodingKey { case id }
            var id: Int?
            init(from decoder: any Decoder) throws {
                id = try? decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
            }
        }
        struct Lenient: Decodable, Sendable {
            enum CodingKeys: CodingKey { case id }
            var id: String
            init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: CodingKeys.self)
                id =
                    try (try? values.decode(String.self, forKey: .id))
                    ?? "\(values.decode(Int.self, forKey: .id))"
            }
        }
        let (old, new) = (response(#"{"id": 1}"#), response(#"{"id": "1"}"#))

        #expect(
            lines(old, new, as: Get<Lossy>())
                == [
                    "warning: id is now string, and was number. Get<ParserChangesTests.Lossy> gives nil for id."
                ])
        #expect(lines(old, new, as: Get<Lenient>()) == [])
    }

    @Test func elementsThatTheParserDropsAreAWarning() {
        let ids = Parsed { data in
            try JSONDecoder().decode([JSONValue].self, from: data)
                .compactMap { $0.members?["id"]?.text == nil ? 1 : nil }
        }

        #expect(
            lines(response(#"[{"id": 1}, {"id": 2}]"#), response(#"[{"id": "1"}]"#), as: ids) == [
                "warning: [].id is now string, and was number. Parsed<Array<Int>> gives fewer "
                    + "elements."
            ])
    }

    @Test func defaultInPlaceOfWhatIsGoneIsAWarningUnlessItWasTheValue() {
        let isOpen = Parsed { data in
            try JSONDecoder().decode([String: Bool].self, from: data)["isOpen"] ?? false
        }
        func lines(_ value: Bool) -> [String] {
            self.lines(
                response(#"{"isOpen": \#(value)}"#), response(#"{"open": \#(value)}"#), as: isOpen)
        }

        #expect(
            lines(true) == ["warning: isOpen is gone; open is new. Parsed<Bool> gives false."])
        #expect(lines(false) == [], "A default that equals the recorded value hides the change.")
    }

    @Test func emptyValueOfAnotherKindIsNoWarning() {
        struct Tags: Decodable, Sendable {
            enum CodingKeys: CodingKey { case tags }
            var tags: [String]?
            init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: CodingKeys.self)
                tags = try? values.decode([String].self, forKey: .tags)
            }
        }
        let old = response(#"{"tags": ["a"]}"#)

        #expect(lines(old, response(#"{"tags": {}}"#), as: Get<Tags>()) == [])
        #expect(lines(old, response(#"{"tags": {"a": 1}}"#), as: Get<Tags>()).count == 1)
    }

    @Test func memberOfOneKindIsJudgedByItsOwnElements() {
        struct Event: Decodable, Sendable {
            enum CodingKeys: CodingKey { case type, size }
            var size: Int?
            init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: CodingKeys.self)
                guard try values.decode(String.self, forKey: .type) == "push" else { return }
                size = try values.decodeIfPresent(Int.self, forKey: .size)
            }
        }
        let push = #"{"type": "push", "ref": "a", "size": 1}"#
        let watch = #"{"type": "watch", "action": "a", "size": 1}"#
        let old = response("[\(push), \(push), \(watch), \(watch)]")
        func lines(without type: String) -> [String] {
            let body = [push, watch].map { element in
                element.contains(type) ? element.replacing(#", "size": 1"#, with: "") : element
            }
            return self.lines(old, response("[\(body.joined(separator: ","))]"), as: Get<[Event]>())
        }

        #expect(lines(without: "watch") == [])
        #expect(
            lines(without: "push") == [
                "warning: [type=push].size is gone. Get<Array<ParserChangesTests.Event>> gives nil for [].size."
            ])
    }

    @Test func keyOfADictionaryThatIsGoneIsNoWarning() {
        struct Rates: Decodable, Sendable { var rates: [String: Double] }

        #expect(
            lines(
                response(#"{"rates": {"USD": 1}}"#), response(#"{"rates": {}}"#), as: Get<Rates>())
                == [])
    }
}
