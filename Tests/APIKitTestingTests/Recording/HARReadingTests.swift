import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn) struct HARReadingTests {
    private func entry(_ data: Data) throws -> RecordedExchange {
        try #require(HARFile(data: data).entries.first)
    }

    private func error(_ data: Data) -> String? {
        #expect(throws: DecodingError.self) { try HARFile(data: data) }?.reason()
    }

    @Test func repeatedFieldOfARequestIsOneList() throws {
        let fields =
            #"[{"name":"accept","value":"text/html"},{"name":"Accept","value":"text/plain"}]"#

        let request = try entry(.har(request: #""headers": \#(fields)"#)).request

        #expect(request.headers == ["accept": "text/html, text/plain"])
    }

    @Test func valueOfAFieldCanBeANumber() throws {
        let fields =
            #"[{"name":"a","value":2},{"name":"b","value":true},{"name":"c","value":null}]"#

        let request = try entry(.har(request: #""headers": \#(fields)"#)).request

        #expect(request.headers == ["a": "2", "b": "true", "c": ""])
    }

    @Test func cookieFieldsAreOne() throws {
        let fields =
            #"[{"name":"cookie","value":"b=2"},{"name":"x","value":"y"},{"name":"Cookie","value":"a=1"}]"#

        let request = try entry(.har(request: #""headers": \#(fields)"#)).request

        #expect(request.headers == ["cookie": "a=1; b=2", "x": "y"])
    }

    // Half of a surrogate pair, a control character, and a byte that is not UTF-8.
    @Test(arguments: [Array(#"a\ud83d"#.utf8), Array("a\n".utf8), [0xFF]])
    func textThatIsNoJSONIsRefused(text: [UInt8]) throws {
        let mark = Data("MARK".utf8)
        let data = Data.har(response: #""content": {"text": "MARK"}"#)
            .replacing(mark, with: Data(text))

        #expect(
            error(data) == """
                log.entries[0] has a text or a number that is not valid JSON. Export it again
                """)
    }

    @Test(arguments: [("onInputData(", ");\n"), ("", ")")])
    func fileWithOtherTextAroundItsJSONIsRefused(start: String, end: String) {
        #expect(error(Data(start.utf8) + Data.har() + Data(end.utf8)) != nil)
    }

    @Test func redirectWithoutLocationGetsOne() throws {
        let members = #""redirectURL": "/b", "content": {"text": ""}"#
        let redirect = try entry(.har(status: "307", response: members))
        let other = try entry(.har(status: "201", response: members))

        #expect(redirect.response.fields == [.init(name: "Location", value: "/b")])
        #expect(other.response.fields.isEmpty)
    }

    @Test(arguments: [
        ("2026-03-04T08:15:27Z", 1_772_612_127_000), ("2026-03-04T08:15:27.4Z", 1_772_612_127_400),
        ("2026-03-04T08:15:27.482113+00:00", 1_772_612_127_482),
        ("2026-03-04T03:45:27-0430", 1_772_612_127_000),
        ("2026-03-04T09:15:27.000+01", 1_772_612_127_000), ("1969-12-31T23:59:59.999Z", -1),
    ])
    func dateIsRead(text: String, milliseconds: Int) throws {
        let entry = try entry(.har(entry: #""startedDateTime": "\#(text)""#))

        #expect(entry.startedAt == Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    }

    @Test(arguments: [
        "\"\"", "null", "\"yesterday\"", "\"2026-03-04\"", "\"2026-13-04T08:15:27Z\"",
        "\"2026-03-04T08:15:27\"",
    ])
    func invalidDateStaysUnknown(date: String) throws {
        let file = try HARFile(data: .har(entry: #""startedDateTime": \#(date)"#))
        let server = MockServer()
        server.replay(file.entries + [.make(startedAt: Date(timeIntervalSince1970: 7))])

        #expect(file.entries.map(\.startedAt) == [nil])
        #expect(try HARFile(data: file.data).entries.map(\.startedAt) == [nil])
        #expect(server.recordingDate == Date(timeIntervalSince1970: 7))
        #expect(!file.entries.contains { TestRun(start: .distantPast).contains($0) })
    }

    @Test(arguments: ["0", "-1", "null", "101", "0.0"])
    func entryWithoutResponseIsIgnored(status: String) throws {
        #expect(try HARFile(data: .har(url: "", status: status)).entries.isEmpty)
    }

    @Test(arguments: [
        "data:,a", "blob:https://h.example/1", "chrome-extension://a/b", "about:blank",
    ])
    func entryWithoutHTTPIsIgnored(url: String) throws {
        #expect(try HARFile(data: .har(url: url)).entries.isEmpty)
    }

    @Test func urlWithAnEscapeBesideOtherCharactersIsEncodedOnce() async throws {
        let name = "https://a.example/x?filter[name]=J%C3%BCrgen|ü"
        let data = Data(
            """
            {"log": {"entries": [{"request": {"method": "GET", "url": "\(name)"},
            "response": {"status": 200, "content": {"size": 0}}}]}}
            """.utf8)

        #expect(
            try entry(data).request.url.absoluteString
                == "https://a.example/x?filter%5Bname%5D=J%C3%BCrgen%7C%C3%BC")
    }

    /// Returns a file with an entry that can be read, after another one.
    private func mixedFile(after entry: String) -> Data {
        let good = """
            {"request": {"method": "GET", "url": "https://h.example/good"}, "response": {"status": 204}}
            """
        return Data(#"{"log": {"entries": [\#(entry), \#(good)]}}"#.utf8)
    }

    @Test(arguments: [
        (
            #"{"request": {"method": "GET", "url": "/a"}, "response": {"status": 200}}"#,
            " has no absolute URL"
        ),
        (#"{"request": {"method": "GET", "url": "https://h.example"}}"#, #" has no "response""#),
        (
            #"{"request": {"method": "GET", "url": "/"}, "response": {"status": 2.}}"#,
            " has a text or a number that is not valid JSON"
        ),
    ])
    func entryWithAMistakeIsListed(entry: String, place: String) throws {
        let file = try HARFile(data: mixedFile(after: entry))

        #expect(file.entries.map(\.request.url.absoluteString) == ["https://h.example/good"])
        #expect(file.unreadable.count == 1)
        #expect(file.unreadable.first?.hasPrefix("log.entries[0]\(place)") == true)
    }

    @Test func missNamesTheEntriesThatCannotBeRead() async throws {
        let folder = try RecordingFolder()
        let data = mixedFile(
            after: #"{"request": {"method": "GET", "url": "/a"}, "response": {"status": 200}}"#)
        try folder.write(String(decoding: data, as: UTF8.self))
        let server = folder.server(
            replaying: Cassette("users", mode: .none, options: [.allowsUnusedEntries]))

        _ = try? await server.send(.make("GET", "https://h.example/a"))

        #expect(
            server.failures.first?.message.contains(
                """
                Some entries of Recordings/users.har cannot be read:
                  - log.entries[0] has no absolute URL
                """) == true)
        let text = folder.text()
        let recorder = folder.server(replaying: Cassette("users", mode: .newEpisodes))
        let tape = try #require(recorder.state.withLock { $0.recordings?.tapes.first })
        #expect(tape.file.write([.make()])?.contains("is broken: log.entries[0]") == true)
        #expect(folder.text() == text)
    }

    @Test(arguments: ["1e400", "99999999999999999999", "1.5", "true", "[200]", "\"200\""])
    func statusThatIsNoIntegerIsRefused(status: String) {
        #expect(error(.har(status: status))?.hasPrefix("log.entries[0]") == true)
    }

    private func encoded(_ content: String) -> String {
        #""headers": [{"name": "content-encoding", "value": "br"}], "content": {\#(content)}"#
    }

    @Test(arguments: [
        #""text": "H4sIAAA=", "encoding": "base64""#,
        #""text": "iwiAeyJhIjoxfQM=", "encoding": "Base64", "mimeType": "application/json""#,
    ])
    func compressedBodyOfAnotherToolIsRefused(content: String) throws {
        #expect(
            error(.har(response: encoded(content)))
                == """
                log.entries[0] has a compressed body in response.content. Export it with decoded content
                """)
        let others = [
            Data.har(response: encoded(content), creator: "APIKit"),
            .har(response: #""content": {\#(content)}"#),
        ]
        for other in others { #expect(try !entry(other).response.body.isEmpty) }
    }

    @Test(arguments: [
        #""text": "iwiAeyJhIjoxfQM=", "encoding": "base64", "mimeType": "image/png""#,
        #""text": "eyJhIjoxfQ==", "encoding": "base64", "mimeType": "application/json""#,
        #""text": "{}", "mimeType": "application/json""#,
    ])
    func decodedBodyBesideItsCodingIsRead(content: String) throws {
        #expect(try !entry(.har(response: encoded(content))).response.body.isEmpty)
    }

    @Test(arguments: [
        ("request", "\"headers\": {}", ".request.headers: expected an array, found another type"),
        (
            "request", "\"headers\": [{}, 7]",
            ".request.headers[1]: expected an object, found another type"
        ),
        (
            "request", "\"headers\": [{\"name\": []}]",
            ".request.headers[0].name: expected String, found another type"
        ),
        (
            "request", "\"postData\": {\"text\": \"é\", \"encoding\": \"base64\"}",
            " has no base64 in request.postData.text"
        ),
        (
            "response", "\"content\": {\"encoding\": \"base64\", \"text\": \"a*b=\"}",
            " has no base64 in response.content.text"
        ),
        (
            "response", "\"content\": {\"encoding\": \"hex\", \"text\": \"ff\"}",
            " has no base64 in response.content.text"
        ),
    ])
    func mistakeHasAPlace(message: String, member: String, reason: String) {
        let data: Data = message == "request" ? .har(request: member) : .har(response: member)

        #expect(error(data) == "log.entries[0]\(reason)")
    }

    @Test(arguments: [
        ("{}", #"the top level has no "log""#), (#"{"log": {}}"#, #"log has no "entries""#),
        (#"{"log": 7}"#, "log: expected an object, found another type"),
        (#"{"log": {"entries": [{}]}}"#, #"log.entries[0] has no "request""#),
        (
            #"{"log": {"entries": [{"request": {}, "response": {}}]}}"#,
            #"log.entries[0].request has no "method""#
        ),
        ("[]", "the top level: expected an object, found another type"),
    ])
    func fileWithoutEntriesIsRefused(text: String, reason: String) {
        #expect(error(Data(text.utf8)) == reason)
        #expect(error(.har("")) == "log.entries[0] has no method")
    }

    @Test(arguments: ["[", "{\"a\":", "[{\"a\":["])
    func deepNestingIsRefused(opening: String) {
        let nested = String(repeating: opening, count: Stress.isFull ? 500_000 : 5_000)
        for text in [nested, "{\"log\": \(nested)", "{\"log\": {\"entries\": \(nested)"] {
            #expect(error(Data(text.utf8)) != nil)
        }
    }

    @Test func everyStartOfAFileIsRefused() throws {
        let text = Data.har(
            request: #""postData": {"text": "é\u0000"}"#,
            response: #""content": {"text": "\"🐕\n"}"#)

        for count in 0..<text.count { #expect(error(text.prefix(count)) != nil) }
        #expect(try HARFile(data: text).entries.count == 1)
    }
}
