import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// What a check says about a recorded response and a live one.
@Suite(.inTurn) struct ResponseChangesTests {
    private struct Get<Output: Decodable & Sendable>: APIRequest {
        typealias ResponseDataType = Output

        func makeRequest(from: Void) throws -> URLRequest { try URLRequest(.get, "dogs") }
    }

    /// A request type with a given parser.
    private struct Parsed<Output: Sendable>: APIRequest {
        typealias ResponseDataType = Output

        let parse: @Sendable (APIResponse<Data>) throws -> Output

        func makeRequest(from: Void) throws -> URLRequest { try URLRequest(.get, "dogs") }
        func parseResponse(data: Data) throws -> Output { throw URLError(.unknown) }
        func parseResponse(_ response: APIResponse<Data>) throws -> Output { try parse(response) }
    }

    private func response(
        _ body: String, status: Int = 200, _ fields: [String: String] = [:],
        type: String = "application/json"
    ) -> ComparedResponse {
        ComparedResponse(
            url: URL(filePath: "/dogs"), status: status,
            fields: fields.merging(["Content-Type": type]) { $1 }, body: Data(body.utf8))
    }

    private func lines(
        _ old: ComparedResponse, _ new: ComparedResponse, as request: (any APIRequest)? = nil
    ) -> [String] {
        let changes = ResponseChanges(
            from: [old], to: [new], readBy: request.map { ResponseParser($0) })
        return changes.findings.filter { $0.severity != .notice }.map {
            "\($0.severity): \($0.text)"
        }
    }

    private struct Price: Decodable, Sendable { var price: Int }
    private struct Dog: Decodable, Sendable { var id: Int, name: String? }

    @Test func refusedBodyNamesTheMemberAsTheBodyDoes() {
        struct Snake: APIRequest {
            struct Output: Decodable { var birthDate: String }
            typealias ResponseDataType = Output

            var decoder: any ResponseDecoder {
                let decoder = JSONDecoder()
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                return decoder
            }

            func makeRequest(from: Void) throws -> URLRequest { try URLRequest(.get, "dog") }
        }

        #expect(
            lines(response(#"{"birth_date": "x", "id": 1}"#), response(#"{"id": 1}"#), as: Snake())
                == ["failure: birth_date is gone. Snake cannot parse the body."])
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

        let parsed = Parsed { "\($0.value.count > 0)" }
        #expect(lines(old, new, as: parsed) == [])
        #expect(lines(old, number, as: Get<JSONValue>()) == [], "Nothing within is asked for.")
        let changes = ResponseChanges(from: [old], to: [number], readBy: ResponseParser(parsed))
        #expect(changes.findings.count { $0.severity == .warning } > 50)
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

    @Test func outputsOfOtherFormatsAreComparedForNilAndErrors() {
        let column = Parsed { response -> [String?] in
            let rows = String(decoding: response.value, as: UTF8.self).split(separator: "\n")
                .map { $0.split(separator: ",").map(String.init) }
            guard rows.count > 1 else { throw URLError(.cannotParseResponse) }
            let index = rows[0].firstIndex(of: "name")
            return rows.dropFirst().map { row in index.map { row[$0] } }
        }
        let old = response("id,name\n1,Rex", type: "text/csv")

        #expect(lines(old, response("id,name\n2,Max\n3,Ada", type: "text/csv"), as: column) == [])
        #expect(
            lines(old, response("id,title\n1,Rex", type: "text/csv"), as: column).first?
                .contains("[] of Parsed<Array<Optional<String>>> is now nil or empty.") == true)
        #expect(
            lines(old, response("", type: "text/csv"), as: column).first?
                .contains("cannot parse the body: ") == true)
        #expect(lines(old, response("id,title", type: "text/csv")) == [])
    }

    @Test func headerFieldThatTheParserReadsIsAWarningIfItIsGone() {
        let total = Parsed { $0.http.value(forHTTPHeaderField: "X-Total") }
        let (old, new) = (response("[1]", ["X-Total": "40", "X-Trace": "1"]), response("[2]"))

        #expect(
            lines(old, new, as: total).first?.hasPrefix("warning: The header field x-total") == true
        )
        #expect(lines(old, new, as: Get<[Int]>()) == [])
    }

    @Test func bodyOfAnErrorIsReadByParseError() {
        struct SignUp: APIRequest {
            struct Taken: Error { var code: String? }

            func makeRequest(from: Void) throws -> URLRequest { try URLRequest(.post, "users") }
            func parseResponse(data: Data) throws {}
            func parseError(_ response: APIResponse<Data>) throws -> (any Error)? {
                struct Body: Decodable { var code: String? }
                return Taken(code: try JSONDecoder().decode(Body.self, from: response.value).code)
            }
        }

        #expect(
            lines(
                response(#"{"code": "taken"}"#, status: 422),
                response(#"{"reason": "taken"}"#, status: 422), as: SignUp())
                == ["warning: code is gone; reason is new. SignUp reads it."])
    }

    @Test func mediaTypeOfJSONIsANotice() {
        let changes = ResponseChanges(
            from: [response(#"{"id": 1}"#)],
            to: [response(#"{"id": 2}"#, type: "application/vnd.api+json")], readBy: nil)

        #expect(changes.findings.map(\.severity) == [.notice])
        #expect(
            changes.remarks == [
                "The media type is now application/vnd.api+json, and was application/json."
            ])
    }

    @Test func objectIsJSONOfAnyMediaTypeAndAScalarOnlyOfItsOwn() {
        func lines(_ old: String, _ new: String, type: String) -> [String] {
            self.lines(response(old, type: type), response(new, type: type))
        }

        #expect(lines(#"{"id": 1}"#, #"{"no": 1}"#, type: "text/plain").count == 1)
        #expect(lines("17", "unknown", type: "text/plain") == [])
        #expect(lines("17", #""x""#, type: "application/json").count == 1)
    }

    @Test(arguments: [
        ("[1]", ": compared 1 element with 2"), ("[]", ": compared 0 elements with 2"),
    ])
    func comparedElementsAreCounted(body: String, text: String) {
        let changes = ResponseChanges(from: [response("[1, 2]")], to: [response(body)], readBy: nil)

        #expect(changes.textOfCounts == text)
    }

    @Test func equalRequestsAreComparedTogether() {
        let pending = response(#"{"state": "pending"}"#)
        let done = response(#"{"state": "done", "result": {"x": 1}}"#)

        let changes = ResponseChanges(
            from: [pending, done], to: [pending, pending, done], readBy: nil)

        #expect(changes.findings == [])
    }

    @Test func outputThatIsNilTodayIsAWarning() {
        let request = Parsed { try? JSONDecoder().decode([String: String].self, from: $0.value) }

        let lines = lines(response(#"{"a": "1", "b": "2"}"#), response(#"{"c": 1}"#), as: request)

        #expect(lines.contains { $0.hasSuffix("is now nil or empty.") })
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

    @Test func changeInEachValueOfALargeMapIsOneChange() {
        struct Prices: Decodable, Sendable {
            struct Price: Decodable, Sendable { var price: Int }
            var prices: [String: Price]
        }
        let prices = (1...50).map { #""item\#($0)": {"price": 1, "stock": 2}"# }
        let old = #"{"prices": {\#(prices.joined(separator: ","))}}"#

        let changes = ResponseChanges(
            from: [response(old)], to: [response(old.replacing("stock", with: "count"))],
            readBy: ResponseParser(Get<Prices>()))

        #expect(
            changes.findings.map { "\($0.severity): \($0.text)" } == [
                "notice: prices.*.count is new.", "notice: prices.*.stock is gone; count is new.",
            ])
    }

    @Test func largestRecordedBodyIsProbed() {
        let changes = ResponseChanges(
            from: [response("[]"), response(#"[{"id": 1, "name": "Rex"}]"#), response("[]")],
            to: [response(#"[{"id": 1}]"#)], readBy: ResponseParser(Get<[Dog]>()))

        #expect(changes.findings.map(\.severity) == [.warning])
    }

    @Test func emptyListIsANotice() {
        let changes = ResponseChanges(
            from: [response(#"[{"id": 1}]"#)], to: [response("[]")],
            readBy: ResponseParser(Get<[Dog]>()))

        #expect(changes.findings.map(\.severity) == [.notice])
        #expect(changes.findings.allSatisfy { $0.text.contains("were not compared") })
    }

    @Test func noticesOfAFailedHeadAreNotAdded() {
        #expect(
            lines(response(#"{"id": 1}"#), response(#"{"no": 1}"#, status: 404))
                == ["failure: The status is now 404, and was 200."])
    }

    @Test func equalBodiesOfNoFormatCountAsCompared() {
        let page = response("<p>", type: "text/html")

        #expect(ResponseChanges(from: [page], to: [page], readBy: nil).comparesBodies)
        #expect(
            !ResponseChanges(from: [page], to: [response("<b>", type: "text/html")], readBy: nil)
                .comparesBodies)
    }

    @Test func announcedEndThatWasRecordedIsNoChange() {
        let old = response("[]", ["Sunset": "tomorrow"])

        #expect(lines(old, old) == [])
        #expect(
            lines(response("[]"), response("[]", ["Sunset": "tomorrow", "Link": "<a>"]))
                == ["warning: Sunset: tomorrow, <a>"])
    }

    @Test func outputThatWasEmptyBeforeIsNoChange() {
        let name = Parsed { response -> String? in
            String(decoding: response.value, as: UTF8.self).contains("name") ? "Rex" : nil
        }
        let (old, new) = (response("a", type: "text/csv"), response("b", type: "text/csv"))

        #expect(lines(old, new, as: name) == [])
        #expect(lines(response("name", type: "text/csv"), new, as: name).count == 1)
    }
}
