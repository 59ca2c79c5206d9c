import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// What a check says about a recorded response and a live one.
@Suite(.inTurn) struct ResponseChangesTests: ComparingResponses {
    private struct Dog: Decodable, Sendable { var id: Int, name: String? }

    @Test func outputsOfOtherFormatsAreCompared() {
        let column = Parsed { data -> [String?] in
            let rows = String(decoding: data, as: UTF8.self).split(separator: "\n")
                .map { $0.split(separator: ",").map(String.init) }
            guard rows.count > 1, let head = rows.first else {
                throw URLError(.cannotParseResponse)
            }
            let index = head.firstIndex(of: "name")
            return rows.dropFirst().map { row in index.map { row[$0] } }
        }
        let old = response("id,name\n1,Rex", type: "text/csv")

        #expect(lines(old, response("id,name\n2,Max\n3,Ada", type: "text/csv"), as: column) == [])
        #expect(
            lines(old, response("id,title\n1,Rex", type: "text/csv"), as: column)
                == ["warning: Parsed<Array<Optional<String>>> gives nil for []."])
        #expect(
            lines(old, response("", type: "text/csv"), as: column).first?
                .contains("cannot parse the body: ") == true)
        #expect(lines(old, response("id,title", type: "text/csv")) == [])
    }

    @Test func linesOfJSONAreNeverOneValue() {
        let names = Parsed { data in
            try data.split(separator: 10).map { try JSONDecoder().decode(Dog.self, from: $0).name }
        }
        for type in ["application/x-ndjson", "application/jsonl"] {
            let old = response(#"{"id": 1, "name": "Rex"}"#, type: type)

            #expect(
                lines(old, response("{\"id\": 1}\n{\"id\": 2}", type: type), as: names)
                    == ["warning: Parsed<Array<Optional<String>>> gives nil for []."])
            #expect(lines(old, response(#"{"id": 1}"#, type: type)) == [])
        }
    }

    private enum Dogs {
        struct List: APIRequest {
            struct Page { var hasNext: Bool, total: String? }

            func makeRequest(from: Void) throws -> URLRequest { try URLRequest(.get, "dogs") }
            func parseResponse(data: Data) throws -> Page { throw URLError(.unknown) }
            func parseResponse(_ response: APIResponse<Data>) throws -> Page {
                guard let link = response.http.value(forHTTPHeaderField: "Link") else {
                    return Page(hasNext: false, total: nil)
                }
                let total = response.http.value(forHTTPHeaderField: "X-Total")
                guard total != nil else { throw URLError(.cannotParseResponse) }
                return Page(hasNext: link.contains("next"), total: total)
            }
        }
    }

    @Test func headerFieldThatTheParserReadsIsAWarningIfItIsGone() {
        let fields = ["Link": "<a>; rel=next", "X-Trace": "1"]
        let old = response("[1]", fields.merging(["X-Total": "40"]) { $1 })
        let live = ["[1]", "[2]"].map { response($0) }

        for new in live {
            #expect(lines(old, new, as: Get<[Int]>()) == [])
            #expect(
                lines(old, new, as: Dogs.List()) == [
                    "warning: The header field link is gone. ResponseChangesTests.Dogs.List gives "
                        + "false for hasNext; nil for total."
                ])
        }
        #expect(
            lines(old, response("[2]", fields), as: Dogs.List()).first?
                .hasPrefix("failure: The header field x-total is gone. ") == true)
    }

    @Test func recordedBodyThatCannotBeParsedIsComparedWithoutARequestType() {
        let changes = ResponseChanges(
            from: [response(#"{"name": "Rex", "tag": 1}"#)], to: [response(#"{"name": "Rex"}"#)],
            readBy: ResponseParser(Get<Dog>()))

        #expect(changes.failures == [] && changes.warnings == ["tag is gone."])
        #expect(
            changes.remarks.first?.hasPrefix(
                "Get<ResponseChangesTests.Dog> cannot parse the recorded body, so every member "
                    + "counts: ") == true)
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
                == [
                    "warning: code is gone; reason is new. ResponseChangesTests.SignUp gives nil for code."
                ])
    }

    @Test func mediaTypeOfJSONIsANotice() {
        let changes = ResponseChanges(
            from: [response(#"{"id": 1}"#)],
            to: [response(#"{"id": 2}"#, type: "application/vnd.api+json")], readBy: nil)

        #expect(changes.failures + changes.warnings == [] && changes.lineOfOthers == "")
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

        #expect(changes.failures + changes.warnings == [] && changes.lineOfOthers == "")
    }

    @Test func outputThatIsNilTodayIsAWarning() {
        let request = Parsed {
            try? JSONDecoder().decode([String: String].self, from: $0)
        }

        #expect(
            lines(response(#"{"a": "1", "b": "2"}"#), response(#"{"c": 1}"#), as: request)
                == ["warning: Parsed<Optional<Dictionary<String, String>>> gives nil."])
    }

    @Test func changeIsMadeInEachRecordedBody() {
        let changes = ResponseChanges(
            from: [response("[]"), response(#"[{"id": 1, "name": "Rex"}]"#), response("[]")],
            to: [response(#"[{"id": 1}]"#)], readBy: ResponseParser(Get<[Dog]>()))

        #expect(changes.warnings.map { $0.hasSuffix(" gives nil for [].name.") } == [true])
    }

    @Test(arguments: [true, false])
    func emptyListIsARemark(isTyped: Bool) {
        let changes = ResponseChanges(
            from: [response(#"[{"id": 1}]"#)], to: [response("[]")],
            readBy: isTyped ? ResponseParser(Get<[Dog]>()) : nil)

        #expect(changes.failures + changes.warnings == [] && changes.lineOfOthers == "")
        #expect(changes.remarks == ["The body is empty, its elements were not compared."])
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
        let name = Parsed { data -> String? in
            String(decoding: data, as: UTF8.self).contains("name") ? "Rex" : nil
        }
        let (old, new) = (response("a", type: "text/csv"), response("b", type: "text/csv"))

        #expect(lines(old, new, as: name) == [])
        #expect(lines(response("name", type: "text/csv"), new, as: name).count == 1)
    }
}
