import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// The bodies of a HAR file, which tools write in many ways.
@Suite(.inTurn) struct HARBodyTests {
    private func entry(_ data: Data) throws -> RecordedExchange {
        try #require(HARFile(data: data).entries.first)
    }

    @Test func fieldsBecomeTheBodyOfAForm() throws {
        let request = try entry(
            .har(
                request: #"""
                    "postData": {"mimeType": "application/x-www-form-urlencoded", "params": [
                      {"name": "a b", "value": "1&2"}, {"name": "é", "value": "~*-._"}
                    ]}
                    """#)
        ).request

        #expect(request.body == Data("a+b=1%262&%C3%A9=~%2A-._".utf8))
        #expect(
            request.headers == ["Content-Type": "application/x-www-form-urlencoded"])
    }

    @Test(arguments: [
        ("POST", #""bodySize": 0"#, false), ("get", #""bodySize": 0"#, true),
        ("GET", #""headers": null"#, true), ("GET", #""bodySize": 7"#, false),
        ("POST", #""postData": {"text": "a"}"#, true),
        // Browsers omit the content of files.
        (
            "POST",
            #""postData": {"mimeType": "multipart/form-data", "params": [{"name": "a", "value": "b"}]}"#,
            false
        ),
    ])
    func bodyOfARequestIsKnown(method: String, request: String, isKnown: Bool) throws {
        #expect(try entry(.har(method, request: request)).request.hasBody == isKnown)
    }

    @Test(arguments: ["encoding", "_encoding"], ["/wD+/w==\\n", "_wD-_w"])
    func bodyOfARequestCanBeBase64(member: String, text: String) throws {
        let entry = try entry(
            .har(request: #""postData": {"text": "\#(text)", "\#(member)": "Base64"}"#))

        #expect(entry.request.body == Data([0xFF, 0x00, 0xFE, 0xFF]))
    }

    @Test(arguments: [(4, true), (-1, true), (3, false)])
    func base64WithoutItsEncodingIsRefused(size: Int, isText: Bool) throws {
        let file = Data.har(request: #""postData": {"text": "abcd"}, "bodySize": \#(size)"#)

        guard !isText else {
            #expect(try entry(file).request.body == Data("abcd".utf8))
            return
        }
        let error = #expect(throws: DecodingError.self) { try HARFile(data: file) }
        #expect(
            error?.reason() == """
                log.entries[0] has base64 in request.postData.text without "encoding": "base64". Add \
                it, or export the entry again
                """)
    }

    @Test(arguments: [
        #""content": {}"#, #""content": null"#, #""content": {"size": 500}"#,
        #""content": {"size": -1, "mimeType": "text/plain"}"#,
    ])
    func missingBodyFailsItsRequest(response: String) async throws {
        let server = MockServer()
        server.replay(try HARFile(data: .har(response: response)).entries)

        let failure = await #expect(throws: TestFailure.self) {
            try await server.send(.make("POST", "https://h.example/"))
        }

        #expect(
            failure?.message == """
                The recording of POST https://h.example/ is not complete: its body is missing. \
                Export it again with its content.
                """)
    }

    @Test(arguments: [("GET", 204, 5), ("GET", 302, -1), ("HEAD", 200, 5), ("GET", 304, 5)])
    func missingBodyOfAnEmptyResponseIsKnown(method: String, status: Int, size: Int) throws {
        let content = #""content": {"size": \#(size)}"#

        let entry = try entry(.har(method, status: "\(status)", response: content))

        #expect(entry.response.error == nil)
    }

    @Test(arguments: [("DELETE", 204), ("PUT", 205), ("GET", 303), ("GET", 304), ("HEAD", 200)])
    func errorBesideAResponseWithoutContentIsNone(method: String, status: Int) throws {
        let response = #""_error": "net::ERR_ABORTED", "content": {"size": 0}"#

        let entry = try entry(.har(method, status: "\(status)", response: response))

        #expect(entry.response.error == nil)
    }

    @Test(arguments: ["GET", "head"])
    func getOfAnotherToolHasNoBody(method: String) throws {
        let data = #""postData": {"mimeType": "", "text": "user=ada"}"#

        let entry = try entry(.har(method, request: data))
        #expect(entry.request.body.isEmpty && entry.request.hasBody)
        let own = try self.entry(.har(method, request: data, creator: "APIKit"))
        #expect(own.request.body == Data("user=ada".utf8))
    }

    @Test(arguments: [
        ("Tool", #""content": {"size": 0}"#, "failed"),
        ("Tool", #""content": {"size": 0}, "_error": null"#, "failed"),
        ("Tool", #""content": {"text": "a"}"#, nil),
        ("APIKit", #""content": {"text": "a"}"#, "failed"),
    ])
    func failedResponseHasAnError(creator: String, response: String, error: String?) throws {
        let data = Data.har(response: #""_error": "failed", \#(response)"#, creator: creator)

        #expect(try entry(data).response.error == error)
    }

    @Test(arguments: [
        ("text/csv", #""headers": null"#, ["text/csv"]), ("x-unknown", #""headers": []"#, []),
        (
            "text/csv", #""headers": [{"name": "content-type", "value": "text/plain"}]"#,
            ["text/plain"]
        ),
    ])
    func mediaTypeOfTheContentIsItsContentType(
        type: String, headers: String, values: [String]
    ) throws {
        let content = #""content": {"text": "a", "mimeType": "\#(type)"}"#

        let entry = try entry(.har(response: "\(content), \(headers)"))

        #expect(entry.response.fields.map(\.value) == values)
    }

    @Test(arguments: [
        ("日本", "Shift_JIS", [0x93, 0xFA, 0x96, 0x7B]), ("č", "windows-1250", [0xE8]),
        ("abc", "euc-kr", [0x61, 0x62, 0x63]), ("ü", "UTF-8", [0xC3, 0xBC]),
        ("ü", "'utf8'", [0xC3, 0xBC]), ("ü", "ISO_8859-1", [0xFC]), ("a", "utf-16", [0x61, 0]),
    ])
    func textInAnotherCharsetKeepsItsBytes(text: String, charset: String, bytes: [UInt8]) throws {
        let content = #"{"text": "\#(text)", "mimeType": "text/plain; charset=\#(charset)"}"#

        let entry = try entry(.har(response: #""content": \#(content)"#))

        #expect(entry.response.body == Data(bytes))
        #expect(entry.response.error == nil)
    }

    @Test(arguments: [("한국", "euc-kr"), ("한국", "Shift_JIS"), ("Ω", "ISO-8859-1"), ("abc", "utf-7")])
    func textWhoseBytesAreUnknownFailsItsRequest(text: String, charset: String) throws {
        let content = #"{"text": "\#(text)", "mimeType": "text/plain; charset=\#(charset)"}"#

        let entry = try entry(
            .har(request: #""postData": \#(content)"#, response: #""content": \#(content)"#))

        #expect(
            entry.response.error == """
                the bytes of its text in text/plain; charset=\(charset) are not known. Export it again \
                with base64
                """)
        #expect(!entry.request.hasBody)
    }

    @Test(arguments: [("GET", "200", false), ("HEAD", "200", true), ("GET", "304", true)])
    func lengthOfAnotherBodyStaysOnlyWithoutBody(
        method: String, status: String, stays: Bool
    ) throws {
        let headers = #""headers": [{"name": "content-length", "value": "7"}]"#

        let entry = try entry(.har(method, status: status, response: headers))

        #expect(entry.response.fields.isEmpty == !stays)
    }
}
