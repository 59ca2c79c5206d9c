import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite struct HARReadingTests {
    /// Returns a file with one entry, and members in addition to the required ones.
    private func file(
        url: String = "https://h.example/", request: String = #""headers": []"#,
        status: String = "200", response: String = #""content": {}"#,
        entry: String = #""startedDateTime": "2026-03-04T08:15:27Z""#
    ) -> Data {
        Data(
            """
            {"log": {"entries": [{
              \(entry),
              "request": {"method": "POST", "url": "\(url)", \(request)},
              "response": {"status": \(status), \(response)}
            }]}}
            """.utf8)
    }

    private func entry(_ data: Data) throws -> HAREntry {
        try #require(HARFile(data: data).entries.first)
    }

    private func error(_ data: Data) -> JSONError? {
        #expect(throws: JSONError.self) { try HARFile(data: data) }
    }

    // MARK: Bodies

    @Test func fieldsBecomeTheBodyOfAForm() throws {
        let entry = try entry(
            file(
                request: #"""
                    "postData": {"mimeType": "application/x-www-form-urlencoded", "params": [
                      {"name": "a b", "value": "1&2"}, {"name": "é", "value": "~*-._"}
                    ]}
                    """#))

        #expect(entry.request.body == Data("a+b=1%262&%C3%A9=~%2A-._".utf8))
    }

    @Test func missingBodyFailsOnlyItsRequest() async throws {
        let file = try HARFile(data: file(response: #""content": {"size": 500}"#))
        let server = MockServer()
        server.replay(file.entries)
        var request = URLRequest(url: try #require(URL(string: "https://h.example/")))
        request.httpMethod = "POST"

        let failure = await #expect(throws: TestFailure.self) { try await server.send(request) }

        #expect(
            failure?.message == """
                The recording of POST https://h.example/ has no body of 500 bytes. Export it again \
                with its content.
                """)
    }

    @Test func requestWithoutBodyHasNone() throws {
        #expect(try !entry(file()).request.hasBody)
        #expect(try entry(file(request: #""postData": {"text": "a"}"#)).request.hasBody)
    }

    @Test func headRequestNeedsNoBody() throws {
        let data = String(decoding: file(response: #""content": {"size": 7}"#), as: UTF8.self)

        #expect(try entry(Data(data.utf8)).response.error != nil)
        #expect(try entry(Data(data.replacing("POST", with: "HEAD").utf8)).response.error == nil)
    }

    @Test func fieldsBecomeTheBodyOfAMultipartForm() throws {
        let entry = try entry(
            file(
                request: #"""
                    "postData": {"mimeType": "multipart/form-data; boundary=--x", "params": [
                      {"name": "na\"me", "value": "Rex"},
                      {"name": "file", "value": "GIF", "fileName": "a.gif", "contentType": "image/gif"}
                    ]}
                    """#))
        let parts = RecordedRequest.Part.parts(
            of: entry.request.body, contentType: "multipart/form-data; boundary=--x")

        #expect(parts.map(\.name) == ["na\"me", "file"])
        #expect(parts.map(\.text) == ["Rex", "GIF"])
        #expect(parts.map(\.fileName) == [nil, "a.gif"])
        #expect(parts.map(\.contentType) == [nil, "image/gif"])
    }

    @Test(arguments: ["encoding", "_encoding"])
    func requestBodyCanBeBase64(member: String) throws {
        let entry = try entry(
            file(request: #""postData": {"text": "/wD+\n", "\#(member)": "base64"}"#))

        #expect(entry.request.body == Data([0xFF, 0x00, 0xFE]))
    }

    @Test func requestBodyOfTheStatedSizeIsText() throws {
        let entry = try entry(
            file(request: #""postData": {"text": "abcd"}, "bodySize": 4"#))

        #expect(entry.request.body == Data("abcd".utf8))
    }

    @Test(arguments: [
        #""H4sIAAA=", "encoding": "base64""#, #""\u001f\ufffd\b""#, #""\u001f\u008b\b""#,
    ])
    func compressedResponseBodyIsRefused(text: String) {
        let error = error(
            file(
                response: #"""
                    "content": {"text": \#(text)},
                    "headers": [{"name": "content-encoding", "value": "gzip"}]
                    """#))

        #expect(error?.place == "log.entries[0].response.content.text")
        #expect(error?.reason.hasPrefix("the body is still compressed. Export the file") == true)
    }

    @Test func compressedFileIsABody() throws {
        let entry = try entry(
            file(response: #""content": {"text": "H4sIAAA=", "encoding": "base64"}"#))

        #expect(entry.response.body == Data([0x1F, 0x8B, 0x08, 0x00, 0x00]))
    }

    @Test func textThatIsNotInTheCharsetStaysUTF8() throws {
        let entry = try entry(
            file(
                response: #"""
                    "content": {"text": "Ω", "mimeType": "text/plain; charset=windows-1252"}
                    """#))

        #expect(entry.response.body == Data("Ω".utf8))
    }

    @Test func halfOfASurrogatePairIsReplaced() throws {
        let entry = try entry(
            file(response: #""content": {"text": "a\ud83d\u0062\udc15\ud83d\udc15"}"#))

        #expect(entry.response.body == Data("a\u{FFFD}b\u{FFFD}🐕".utf8))
    }

    @Test func escapesAreRead() throws {
        let entry = try entry(
            file(response: #""content": {"text": "\"\\\/\b\f\n\r\t\u00e9\u2028\\"}"#))

        #expect(
            entry.response.body == Data("\"\\/\u{8}\u{C}\n\r\t\u{E9}\u{2028}\\".utf8))
    }

    // MARK: Header fields

    @Test func redirectWithoutLocationGetsOne() throws {
        let redirect = try entry(file(status: "307", response: #""redirectURL": "/b""#))
        let other = try entry(file(status: "201", response: #""redirectURL": "/b""#))

        #expect(redirect.response.headers == [.init(name: "Location", value: "/b")])
        #expect(other.response.headers.isEmpty)
    }

    @Test(arguments: [("GET", "200", false), ("HEAD", "200", true), ("GET", "304", true)])
    func lengthOfAnotherBodyStaysOnlyWithoutBody(
        method: String, status: String, stays: Bool
    ) throws {
        let text = String(
            decoding: file(
                status: status,
                response: #""headers": [{"name": "content-length", "value": "7"}]"#),
            as: UTF8.self)

        let entry = try entry(Data(text.replacing("POST", with: method).utf8))

        #expect(entry.response.headers.isEmpty == !stays)
    }

    // MARK: Dates

    @Test(arguments: [
        ("2026-03-04T08:15:27Z", 1_772_612_127_000), ("2026-03-04T08:15:27.4Z", 1_772_612_127_400),
        ("2026-03-04T08:15:27.482113Z", 1_772_612_127_482),
        ("2026-03-04T08:15:27.482113+00:00", 1_772_612_127_482),
        ("2026-03-04T09:15:27+01:00", 1_772_612_127_000),
        ("2026-03-04T03:45:27-0430", 1_772_612_127_000),
        ("2026-03-04T09:15:27.000+01", 1_772_612_127_000),
        ("1969-12-31T23:59:59.999Z", -1), ("2000-02-29T00:00:00Z", 951_782_400_000),
        ("2100-03-01T00:00:00Z", 4_107_542_400_000),
    ])
    func dateIsRead(text: String, milliseconds: Int) throws {
        #expect(HARDate.parse(text) == HARDate.date(milliseconds: Double(milliseconds)))
    }

    @Test(arguments: [
        "yesterday", "2026-03-04", "2026-13-04T08:15:27Z", "2026-03-04T08:15Z",
        "2026-03-04T08:15:27 Z", "2026-03-04T08:15:27", "2026-03-04T08:15:27.Z",
    ])
    func invalidDateIsUnknown(text: String) throws {
        let entry = try entry(file(entry: #""startedDateTime": "\#(text)""#))

        #expect(entry.startedAt == Date(timeIntervalSince1970: 0))
    }

    // MARK: Entries of other tools

    /// Returns a file with an entry that can be read, after others.
    private func mixedFile(after entries: String...) -> Data {
        let good =
            #"{"request": {"method": "GET", "url": "https://h.example/good"}, "response": {"status": 200}}"#
        return Data(
            #"{"log": {"entries": [\#((entries + [good]).joined(separator: ", "))]}}"#.utf8)
    }

    @Test(arguments: [
        (
            #"{"request": {"method": "GET", "url": "/a"}, "response": {"status": 200}}"#,
            "request.url"
        ),
        (
            #"{"request": {"method": "GET", "url": "https://h.example", "headers": [{"name": "a", "value": {}}]}}"#,
            "request.headers[0].value"
        ),
        (#"{"request": {"method": "GET", "url": "https://h.example"}}"#, "response"),
        (
            #"{"request": {"method": "GET", "url": "https://h.example"}, "response": {"status": 200, "headers": [{"name": "content-encoding", "value": "br"}], "content": {"text": "[\"1f8b\",\"00\"]"}}}"#,
            "response.content.text"
        ),
    ])
    func entryWithAMistakeIsListed(entry: String, place: String) throws {
        let file = try HARFile(data: mixedFile(after: entry))

        #expect(file.entries.map(\.request.url) == ["https://h.example/good"])
        #expect(file.unreadable.map(\.number) == [1])
        #expect(file.unreadable.map(\.error.place) == ["log.entries[0].\(place)"])
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
                  - entry 1: log.entries[0].request.url: expected an absolute URL
                """) == true)
        let text = folder.text()
        let recorder = folder.server(replaying: Cassette("users", mode: .newEpisodes))
        let tape = try #require(recorder.state.withLock { $0.tapes.first })
        #expect(tape.file.write([.make()])?.contains("is broken: log.entries[0]") == true)
        #expect(folder.text() == text)
    }

    @Test(arguments: ["onInputData(", "a.b_1("])
    func functionCallAroundTheFileIsIgnored(start: String) throws {
        let data = Data(start.utf8) + file() + Data(");\n".utf8)

        #expect(try HARFile(data: data) == HARFile(data: file()))
    }

    @Test func joinedCookiesWithUnusualNamesAreSplit() {
        let entry = HAREntry.make(
            responseHeaders: [
                .init(
                    name: "Set-Cookie",
                    value: "a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT, user[token]=2")
            ])

        #expect(
            entry.normalized.response.headers.map(\.value)
                == ["a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT", "user[token]=2"])
    }

    // MARK: Damaged and large content

    @Test(arguments: [
        "1e400", "-1e400", "1e300", "99999999999999999999", "-", "1.5", "true", "[200]",
    ])
    func statusThatIsNoIntegerIsRefused(status: String) {
        #expect(error(file(status: status))?.place == "log.entries[0].response.status")
    }

    @Test func requestWithoutMethodIsRefused() {
        let text = String(decoding: file(), as: UTF8.self)
        for method in ["\"\"", "null"] {
            #expect(
                error(Data(text.replacing("\"POST\"", with: method).utf8))
                    == JSONError(
                        place: "log.entries[0].request.method", reason: "expected a method"))
        }
    }

    @Test func timeOutOfRangeIsLimited() throws {
        let timings = #""timings": {"wait": 1e308, "dns": 1e308, "send": -1e308}"#

        #expect(try entry(file(entry: timings)).wait == .microseconds(1_000_000_000_000_000))
    }

    @Test func largeTextIsRead() throws {
        let text = String(repeating: "0123456789abcdef", count: Stress.count(1_000_000))
        let escaped = String(repeating: #"\"\u0000"#, count: 20_000)

        let plain = try entry(file(response: #""content": {"text": "\#(text)"}"#))
        let unescaped = try entry(file(response: #""content": {"text": "\#(escaped)"}"#))

        #expect(plain.response.body == Data(text.utf8))
        #expect(unescaped.response.body.count == 40_000)
        #expect(error(file(response: #""content": {"text": "\#(text)"#)) != nil)
    }

    @Test(arguments: ["[", "{\"a\":", "[{\"a\":["])
    func deepNestingHasAnError(opening: String) {
        let nested = String(repeating: opening, count: Stress.isFull ? 500_000 : 20_000)
        for text in [nested, "{\"log\": \(nested)", "{\"log\": {\"entries\": \(nested)"] {
            #expect(error(Data(text.utf8)) != nil)
        }
    }

    @Test func everyStartOfAFileIsRefused() throws {
        let text = HARFile(entries: [.make("POST", "/é", body: "\u{0}", reply: "\"🐕\n")]).data
            .dropLast()

        for count in 0..<text.count { #expect(error(text.prefix(count)) != nil) }
        #expect(try HARFile(data: text).entries.count == 1)
    }

    // MARK: Ignored content

    @Test(arguments: ["0", "-1", "null", "101", "0.0"])
    func entryWithoutResponseIsIgnored(status: String) throws {
        #expect(try HARFile(data: file(url: "", status: status)).entries.isEmpty)
    }

    @Test(arguments: [
        "data:,a", "blob:https://h.example/1", "chrome-extension://a/b", "about:blank",
    ])
    func entryWithoutHTTPIsIgnored(url: String) throws {
        #expect(try HARFile(data: file(url: url)).entries.isEmpty)
    }

    @Test func byteOrderMarkIsIgnored() throws {
        let data = file()

        #expect(try HARFile(data: Data([0xEF, 0xBB, 0xBF]) + data) == HARFile(data: data))
    }

    @Test func unknownMembersOfAnyDepthAreIgnored() throws {
        let nested = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        let entry = #""_a": \#(nested), "_b": {"x": [1e3, true, null, "]}"], "y": -1.5}, "": {}"#

        #expect(try HARFile(data: file(entry: entry)).entries.count == 1)
    }

    @Test func sliceOfDataIsRead() throws {
        let data = file()

        #expect(try HARFile(data: (Data("[1,".utf8) + data)[3...]) == HARFile(data: data))
    }

    // MARK: Mistakes

    @Test(arguments: [
        ("url", "\"url\": 7", "request.url", "expected a string"),
        ("url", "\"url\": \"/a\"", "request.url", "expected an absolute URL"),
        ("headers", "\"headers\": {}", "request.headers", "expected an array"),
        ("headers", "\"headers\": [{}, 7]", "request.headers[1]", "expected an object"),
        (
            "headers", "\"headers\": [{\"name\": []}]", "request.headers[0].name",
            "expected a string"
        ),
        (
            "headers", "\"postData\": {\"text\": \"é\", \"encoding\": \"base64\"}",
            "request.postData.text", "expected base64"
        ),
        ("status", "\"status\": \"200\"", "response.status", "expected a number"),
        ("status", "\"status\": 200.5", "response.status", "expected an integer"),
        (
            "content", "\"content\": {\"encoding\": \"base64\", \"text\": \"a*b=\"}",
            "response.content.text", "expected base64"
        ),
    ])
    func mistakeHasAPlace(member: String, replacement: String, place: String, reason: String)
        throws
    {
        let members = [
            "url": #""url": "https://h.example/""#, "headers": #""headers": []"#,
            "status": #""status": 200"#, "content": #""content": {}"#,
        ]
        let text = String(decoding: file(), as: UTF8.self)
            .replacing(try #require(members[member]), with: replacement)

        #expect(
            error(Data(text.utf8)) == JSONError(place: "log.entries[0].\(place)", reason: reason))
    }

    @Test(arguments: [
        ("{}", "log.entries", "expected an array"),
        (#"{"log": {}}"#, "log.entries", "expected an array"),
        (#"{"log": 7}"#, "log", "expected an object"),
        (#"{"log": {"entries": [{}]}}"#, "log.entries[0].request", "expected an object"),
        (
            #"{"log": {"entries": [{"request": {}}]}}"#, "log.entries[0].response",
            "expected an object"
        ),
        ("", "line 1, column 1", "expected an object"),
        ("[]", "line 1, column 1", "expected an object"),
        ("{\n  \"é\" 7}", "line 2, column 7", "expected a colon"),
        ("{\"log\": {\"entries\": [", "line 1, column 22", "expected an object"),
        ("{\n\"log\": }", "line 2, column 8", "expected an object"),
        ("{\"a\": 1,}", "line 1, column 9", "expected the name of a member"),
        ("{\"a\": 1 \"b\"", "line 1, column 9", "expected a comma or }"),
        ("{\"log\": {\"entries\": [ }}", "line 1, column 23", "expected an object"),
        ("{\"a\": \"b\\x\"}", "line 1, column 9", "expected an escape such as \\n"),
        ("{\"a\": \"\\u12\"}", "line 1, column 8", "expected an escape such as \\n"),
        ("{\n\"a\": \"b", "line 2, column 6", "expected the end of the string that begins here"),
        ("{\"a\": [1, {\"b\": 2}", "line 1, column 19", "expected a value"),
        ("{} {}", "line 1, column 4", "expected the end of the text"),
        ("{\"a\": %}", "line 1, column 7", "expected a value"),
    ])
    func brokenFileIsRefused(text: String, place: String, reason: String) {
        #expect(error(Data(text.utf8)) == JSONError(place: place, reason: reason))
    }
}
