import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// Changes of members that the parser of a request type hides, reads or refuses.
@Suite(.inTurn) struct ParserChangesTests: ComparingResponses {
    private struct Price: Decodable, Sendable { var price: Int }

    @Test func refusedBodyNamesTheMemberAsTheBodyDoes() {
        struct Pup: Decodable { var birthDate: String }

        #expect(
            lines(
                response(#"{"birth_date": "x", "id": 1}"#), response(#"{"id": 1}"#),
                as: Snake<Pup>())
                == ["failure: birth_date is gone. Snake<Pup> cannot parse the body."])
        #expect(
            lines(response(#"{"price": 10}"#), response(#"{"price": 10.5}"#), as: Get<Price>())
                == ["failure: price is no longer whole. Get<Price> cannot parse the body."])
    }

    @Test func textThatTheParserNoLongerReadsIsAWarning() {
        struct Switch: Decodable, Sendable {
            enum Status: String, Decodable, Sendable {
                case on, off, unknown

                init(from decoder: any Decoder) throws {
                    let text = try decoder.singleValueContainer().decode(String.self)
                    self = Self(rawValue: text) ?? .unknown
                }
            }
            var status: Status
        }
        struct Plain: Decodable, Sendable { var status: String }
        let (old, new) = (response(#"{"status": "on"}"#), response(#"{"status": "ON"}"#))

        #expect(
            lines(old, new, as: Get<Switch>())
                == ["warning: status is now written in another way. Get<Switch> reads it."])
        #expect(lines(old, new, as: Get<Plain>()) == [])
        #expect(lines(old, new) == [])
    }

    @Test func textThatTheParserReadsInAnotherElementIsNoWarning() {
        struct Event: Decodable, Sendable {
            enum CodingKeys: CodingKey { case type, url }
            var url: String?
            init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: CodingKeys.self)
                guard try values.decode(String.self, forKey: .type) == "issue" else { return }
                url = try values.decode(String.self, forKey: .url)
            }
        }
        let old = response(#"[{"type": "issue", "url": "/a1"}]"#)
        let new = response(#"[{"type": "commit", "url": "/b/c1"}, {"type": "fork"}]"#)

        #expect(lines(old, new, as: Get<[Event]>()) == [])
    }

    @Test func onlyKindsCountBeyondTheLimit() {
        let names = (1...201).map { #""m\#($0)": "a1""# }.joined(separator: ",")
        let (old, new) = (
            response("{\(names)}"), response("{\(names.replacing("a1", with: "a-1"))}")
        )
        let number = response("{\(names.replacing(#""a1""#, with: "1"))}")

        let parsed = Parsed { "\($0.count > 0)" }
        #expect(lines(old, new, as: parsed) == [])
        #expect(lines(old, number, as: Get<JSONValue>()) == [], "Nothing within is asked for.")
        let changes = ResponseChanges(from: [old], to: [number], readBy: ResponseParser(parsed))
        #expect(changes.findings.contains { $0.severity == .warning })
        #expect(changes.remarks.contains { $0.hasPrefix("The body is too large to ask") })
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
                == ["warning: id is now string, and was number. Get<Lossy> reads it."])
        #expect(lines(old, new, as: Get<Lenient>()) == [])
    }

    @Test func emptyValueDoesNotShowWhetherItIsRead() {
        struct Tags: Decodable, Sendable {
            enum CodingKeys: CodingKey { case tags }
            var tags: [String]?
            init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: CodingKeys.self)
                tags = try? values.decode([String].self, forKey: .tags)
            }
        }

        #expect(
            lines(response(#"{"tags": ["a"]}"#), response(#"{"tags": {}}"#), as: Get<Tags>())
                == [])
    }

    @Test func textThatTheParserReadsInOtherElementsIsNoWarning() {
        struct Day: Decodable, Sendable {
            enum CodingKeys: CodingKey { case at }
            var at: Date?
            init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: CodingKeys.self)
                at = try Date(
                    values.decode(String.self, forKey: .at) + "T00:00:00Z", strategy: .iso8601)
            }
        }
        struct Days: Decodable, Sendable {
            var days: [Day?]
            init(from decoder: any Decoder) throws {
                var elements = try decoder.unkeyedContainer()
                days = []
                while !elements.isAtEnd {
                    let element = try elements.superDecoder()
                    days.append(try? Day(from: element))
                }
            }
        }
        let old = response(#"[{"at": "2026-01-02"}]"#)

        #expect(
            lines(old, response(#"[{"at": ""}, {"at": "2026-01-03"}]"#), as: Get<Days>()) == [])
        #expect(lines(old, response(#"[{"at": ""}]"#), as: Get<Days>()).count == 1)
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
            lines(without: "push")
                == ["warning: [type=push].size is gone. Get<Array<Event>> reads it."])
    }
}
