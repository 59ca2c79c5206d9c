import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// What replaces the secrets in a recording, and that all other bytes stay the same.
@Suite struct HAREntryRedactingTests {
    private func redacted(
        url: String, _ redaction: Redaction = .secrets
    ) -> String {
        var table = Numbers()
        return HAREntry.Request(method: "GET", url: url)
            .redacted(by: redaction) { table.placeholder($0) }.url
    }

    private func redacted(header name: String, _ value: String) -> String? {
        var table = Numbers()
        return HAREntry.Request(
            method: "GET", url: "/", headers: [.init(name: name, value: value)]
        )
        .redacted(by: .secrets) { table.placeholder($0) }.headers.first?.value
    }

    private func redacted(body: String, type: String? = nil) -> String {
        String(decoding: redacted(body: Data(body.utf8), type: type), as: UTF8.self)
    }

    private func redacted(body: Data, type: String? = nil) -> Data {
        var table = Numbers()
        return HAREntry.Response(
            status: 200, headers: type.map { [.init(name: "Content-Type", value: $0)] } ?? [],
            body: body
        )
        .redacted(by: .secrets) { table.placeholder($0) }.body
    }

    @Test(arguments: [
        (
            "https://ada:pw@h.example/a;sid=x/b?q=1&token=x%2Fy&z=%41#code=x",
            "https://§1:§2@h.example/a;sid=§3/b?q=1&token=§4&z=%41#code=§3"
        ),
        ("https://h/?to=%2Fb%3ftoken%3Dx%26a%3d1", "https://h/?to=%2Fb%3ftoken%3D§1%26a%3d1"),
        ("https://h/?token=&a=b", "https://h/?token=&a=b"), ("/token=x/;a", "/token=§1/;a"),
        ("https://h/?token=x&key=%78", "https://h/?token=§1&key=§1"),
        (
            "https://t@h/?f=%7B%22token%22:%22x%22,%22a%22:1%7D",
            "https://§1@h/?f=%7B%22token%22:%22§2%22,%22a%22:1%7D"
        ),
    ])
    func secretsInURLAreReplaced(url: String, text: String) {
        #expect(redacted(url: url) == text.placeholders)
    }

    @Test(arguments: [
        ("Authorization", "Bearer x", "Bearer §1"), ("authorization", "Token x", "Token §1"),
        ("Authorization", "x", "§1"), ("Proxy-Authorization", "Basic YTpi", "Basic §1"),
        ("Authorization", "Hawk abc==", "Hawk §1"),
        (
            "Authorization", #"Digest username="a", realm="r", nonce="n", uri="/x", response="d""#,
            #"Digest username="§1", realm="r", nonce="§2", uri="/x", response="§3""#
        ),
        (
            "Authorization", "AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=c",
            "AWS4-HMAC-SHA256 Credential=§1, SignedHeaders=host, Signature=§2"
        ),
        ("Cookie", "a=x; b=y;c=x; d=", "a=§1; b=§2;c=§1; d="),
        ("Set-Cookie", "a=x; Path=/; HttpOnly", "a=§1; Path=/; HttpOnly"),
        (
            "Set-Cookie",
            "a=x; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/, b=y; Secure, c=\"x\"",
            "a=§1; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/, b=§2; Secure, c=\"§1\""
        ),
        ("Cookie", "a=%7B%22x; b={\"x", "a=§1; b=§1"),
        ("Set-Cookie", "a=\"x;y\"; Path=/", "a=\"§1\"; Path=/"),
        ("Authorization", #"Token token="a\"b, realm=c", x=y"#, #"Token token="§1", x=§2"#),
        ("X-Debug", "a=b; token=x", "a=b; token=§1"), ("X-Debug", "password: x", "password: §1"),
        ("X-Api-Key", "x", "§1"), ("X-Auth-Token", "Bearer x", "Bearer §1"),
        ("Location", "/cb?code=x&state=1", "/cb?code=§1&state=1"),
        ("Link", "</a?key=x&page=2>; rel=\"next\"", "</a?key=§1&page=2>; rel=\"next\""),
        ("X-Args", #"{"token":"x","a":[1]}"#, #"{"token":"§1","a":[1]}"#),
        ("ETag", "\"x\"", "\"x\""), ("Accept", "a;q=0.9", "a;q=0.9"),
    ])
    func secretsInHeaderAreReplaced(name: String, value: String, text: String) {
        #expect(redacted(header: name, value) == text.placeholders)
    }

    @Test(arguments: [
        (#"{ "token" : "x",  "id": 1.50 }"#, #"{ "token" : "§1",  "id": 1.50 }"#),
        (
            #"{"credentials":{"user":"u","n":[1,-2.5e3,1,true,null,""]},"b":"u"}"#,
            #"{"credentials":{"user":"§1","n":[2,3,2,true,null,""]},"b":"u"}"#
        ),
        (#"{"pin":1234,"password":"1234"}"#, #"{"pin":1,"password":"§1"}"#),
        (#"{"token":null,"key":false}"#, #"{"token":null,"key":false}"#),
        (
            #"{"a":"\u00e9 https:\/\/h\/?token=x\u0026b=1"}"#,
            #"{"a":"\u00e9 https:\/\/h\/?token=§1\u0026b=1"}"#
        ),
        (#"{"token":"a\/b","key":"a/b"}"#, #"{"token":"§1","key":"§1"}"#),
        (
            #"{"variables":"{\"token\":\"x\",\"u\":\"\\u00e9\",\"key\":\"y\"}"}"#,
            #"{"variables":"{\"token\":\"§1\",\"u\":\"\\u00e9\",\"key\":\"§2\"}"}"#
        ),
        ("{\"key\":\"x\"}\n{\"key\":\"y\"}\n", "{\"key\":\"§1\"}\n{\"key\":\"§2\"}\n"),
        (
            #"{"query":"mutation { in(user: \"a\", password: \"x\", pin: 7) { token } }"}"#,
            #"{"query":"mutation { in(user: \"a\", password: \"§1\", pin: 2) { token } }"}"#
        ),
        (
            #"{"html":"<input name=\"csrf\" value=\"x\"><a href=\"/?key=x&amp;b=1\">"}"#,
            #"{"html":"<input name=\"csrf\" value=\"§1\"><a href=\"/?key=§1&amp;b=1\">"}"#
        ),
        (
            #"{"a":NaN,"credentials":{"user":"x","n":[1]}}"#,
            #"{"a":NaN,"credentials":{"user":"§1","n":[2]}}"#
        ),
        (")]}',\n{\"key\":\"x\"}", ")]}',\n{\"key\":\"§1\"}"),
        ("for(;;);{\"key\":7}", "for(;;);{\"key\":1}"),
        ("\u{FEFF}{\"key\":\"x\"}", "\u{FEFF}{\"key\":\"§1\"}"),
        (
            #"{"token":"Bearer x","authorization":"bearer x"}"#,
            #"{"token":"Bearer §1","authorization":"bearer §1"}"#
        ),
    ])
    func leavesOfJSONAreReplaced(json: String, text: String) {
        #expect(redacted(body: json, type: "application/json") == text.placeholders)
    }

    @Test func fieldsOfFormAreReplaced() {
        #expect(
            redacted(
                body: "user=a+b&password=x+y&n=%2f&assertion=x%20y&to=%2F%3Fsig%3dz",
                type: "application/x-www-form-urlencoded")
                == "user=a+b&password=§1&n=%2f&assertion=§1&to=%2F%3Fsig%3d§2".placeholders)
    }

    @Test func eventsAreReplaced() {
        #expect(
            redacted(
                body: "event: a\r\ndata: {\"token\":\r\ndata: \"x\"}\r\n\r\ndata: [DONE]\r\n\r\n"
                    + "data:{\"key\":\"y\"}\n",
                type: "text/event-stream")
                == "event: a\r\ndata: {\"token\":\r\ndata: \"§1\"}\r\n\r\ndata: [DONE]\r\n\r\ndata:{\"key\":\"§2\"}\n"
                .placeholders)
    }

    @Test func partsOfMultipartBodyAreReplacedByName() {
        let head = "--b\r\nContent-Disposition: form-data; name="
        let file = Data("\(head)\"token\"; filename=\"a\"\r\n\r\n{\"key\":\"f\"}".utf8) + [0xFF, 0]
        let texts = [
            "\(head)\"password\"\r\n\r\np\r\np", "\(head)\"name\"\r\n\r\nrex",
            "\(head)meta\r\nContent-Type: application/json\r\n\r\n{\"key\":\"k\",\"a\":1}",
        ]
        let body =
            Data(texts.joined(separator: "\r\n").utf8) + Data("\r\n".utf8) + file
            + Data("\r\n--b--\r\n".utf8)

        let shown = redacted(body: body, type: "multipart/form-data; boundary=\"b\"")

        let expected = texts.joined(separator: "\r\n").replacing("p\r\np", with: "REDACTED-1")
            .replacing("\"k\"", with: "\"REDACTED-2\"")
        #expect(
            shown == Data(expected.utf8) + Data("\r\n".utf8) + file + Data("\r\n--b--\r\n".utf8))
    }

    @Test(arguments: [
        ("token=x&a=1", "token=§1&a=1"), ("password: a b\nuser: c", "password: §1\nuser: c"),
        ("  - api_key = x # y", "  - api_key = §1 # y"),
        ("a 'token': 'x\\'y', b", "a 'token': '§1', b"),
        ("var csrfToken = \"x\";", "var csrfToken = \"§1\";"),
        ("token = load(); if (key == 1) {}", "token = load(); if (key == 1) {}"),
        ("see https://h/?code=x&a=1, ok", "see https://h/?code=§1&a=1, ok"),
        ("cb({\"token\":\"x\",\"pin\":12});", "cb({\"token\":\"§1\",\"pin\":2});"),
        ("s='{\\\"token\\\":\\\"x\\\",\\\"a\\\":1}'", "s='{\\\"token\\\":\\\"§1\\\",\\\"a\\\":1}'"),
        ("s='{\\\"key\\\":\\\"x\\\\\\\"y\\\"}'", "s='{\\\"key\\\":\\\"§1\\\"}'"),
        ("password=a(b)|c\nd", "password=§1\nd"), ("password: a<b\nc", "password: §1\nc"),
        ("password: a https://h/?a=b&x=c", "password: §1"), ("a=b&code=x%2Fy", "a=b&code=§1"),
        ("token expired", "token expired"), ("'key': 2024-01-01", "'key': 2024-01-01"),
        ("key => 'x'", "key => '§1'"),
        ("https://h/?token=x%2Fy token=x/y", "https://h/?token=§1 token=§1"),
    ])
    func namedValuesInTextAreReplaced(text: String, expected: String) {
        #expect(redacted(body: text) == expected.placeholders)
    }

    @Test func scriptKeepsItsCode() {
        let script = "key=b;for(var token=a,i=0;;)x?key=b:c;a;sid=b;/a;key=b/;token='x'"

        #expect(
            redacted(body: script, type: "text/javascript")
                == script.replacing("'x'", with: "'REDACTED-1'"))
    }

    @Test(arguments: [
        ("<a><password>x</password><b>y</b></a>", "<a><password>§1</password><b>y</b></a>"),
        (
            "<s:token xmlns:s='u'><v>x</v><v>2</v></s:token><v>x</v>",
            "<s:token xmlns:s='u'><v>§1</v><v>2</v></s:token><v>x</v>"
        ),
        ("<a token=\"x\" b='y' key = z >", "<a token=\"§1\" b='y' key = §2 >"),
        (
            "<input type=hidden name=csrf_token value=x><p>y",
            "<input type=hidden name=csrf_token value=§1><p>y"
        ),
        (
            "<input value='x' name=\"user[password]\"/>",
            "<input value='§1' name=\"user[password]\"/>"
        ),
        (
            "<input type=\"password\" name=\"p\" value=\"x\">",
            "<input type=\"password\" name=\"p\" value=\"§1\">"
        ),
        (
            "<meta name=\"csrf-token\" content=\"x&#x2B;y\"><i a=\"x+y\">",
            "<meta name=\"csrf-token\" content=\"§1\"><i a=\"x+y\">"
        ),
        (
            "<a href=\"/a?b=1&amp;token=x&amp;c=d\">z</a>",
            "<a href=\"/a?b=1&amp;token=§1&amp;c=d\">z</a>"
        ),
        (
            "<div data-page=\"{&quot;token&quot;:&quot;x&quot;,&quot;a&quot;:1}\">",
            "<div data-page=\"{&quot;token&quot;:&quot;§1&quot;,&quot;a&quot;:1}\">"
        ),
        (
            "<script>if(a<b){t={token:\"x\"}}</script><p>key</p>",
            "<script>if(a<b){t={token:\"§1\"}}</script><p>key</p>"
        ),
        (
            "<a><![CDATA[{\"key\":\"x\"}]]></a><key><![CDATA[y]]></key>",
            "<a><![CDATA[{\"key\":\"§1\"}]]></a><key><![CDATA[§2]]></key>"
        ),
        ("<!-- token=x -->", "<!-- token=§1 -->"),
        ("<script>t={token:\"a<b\"}</SCRIPT><p>x", "<script>t={token:\"§1\"}</SCRIPT><p>x"),
        ("<add key=\"ApiKey\" value=\"x\"/>", "<add key=\"ApiKey\" value=\"§1\"/>"),
        ("<string name=\"api_key\">x</string>", "<string name=\"api_key\">§1</string>"),
        (
            "<plist><dict><key>token</key><string>x</string><key>a</key><string>y</string></dict>",
            "<plist><dict><key>token</key><string>§1</string><key>a</key><string>y</string></dict>"
        ),
        ("<p>1 < 2 </p", "<p>1 < 2 </p"), ("<", "<"), ("<a b=", "<a b="),
        ("<a token='x", "<a token='§1"),
    ])
    func secretsInMarkupAreReplaced(text: String, expected: String) {
        #expect(redacted(body: text, type: "text/html") == expected.placeholders)
    }

    @Test(arguments: [
        "Content-Disposition: form-data;\r\n name=\"password\"\r\n\r\n§1",
        "Authorization: Bearer §1\r\n\r\ny",
        "Content-Disposition: form-data; name=a; filename=b\r\n\r\n{\"token\":\"§1\"}",
    ])
    func secretsInPartAreReplaced(part: String) {
        // The second body is truncated.
        for body in ["--b\r\n\(part)\r\n--b--\r\n", "--b\r\n\(part)"] {
            #expect(
                redacted(
                    body: body.replacing("§1", with: "x"), type: "multipart/mixed; boundary=b")
                    == body.placeholders)
        }
    }

    @Test func bodyWithoutPartsIsText() {
        #expect(
            redacted(body: "{\"key\":\"x\"}", type: "multipart/mixed; boundary=b")
                == "{\"key\":\"§1\"}".placeholders)
    }

    @Test func deeplyNestedPartsAreReplaced() {
        let parts = (0..<5_000).map {
            "--x\($0)\r\nContent-Type: multipart/mixed; boundary=x\($0 + 1)\r\n\r\n"
        }

        #expect(
            !redacted(
                body: parts.joined() + "{\"token\":\"abc\"}", type: "multipart/mixed; boundary=x0"
            ).contains("abc"))
    }

    @Test func textInAnotherCharsetIsReplaced() throws {
        let json = "{\"a\":\"é\",\"token\":\"x\"}"
        let encodings: [String.Encoding] = [
            .isoLatin1, .utf16, .utf16LittleEndian, .utf16BigEndian,
        ]
        for encoding in encodings {
            let body = try #require(json.data(using: encoding))
            let shown = redacted(body: body, type: "application/json")
            #expect(
                String(data: shown, encoding: encoding) == json.replacing("x", with: "REDACTED-1"))
        }
    }

    @Test(arguments: [
        String(repeating: "*token:", count: 200_000) + " /?token=x",
        "/?token=" + String(repeating: "*token:", count: 200_000),
        "token='" + String(repeating: "\\", count: 2_000_000),
    ])
    func longTextIsSearchedOnce(text: String) {
        #expect(redacted(body: text).utf8.count < 100)
    }

    @Test func binaryPartIsUnchanged() {
        let body =
            Data("--b\r\nContent-Disposition: form-data; name=token\r\n\r\nx".utf8) + [0xFF]
            + Data("\r\n--b--\r\n".utf8)

        #expect(redacted(body: body, type: "multipart/form-data; boundary=b") == body)
    }

    @Test func binaryBodyIsUnchanged() {
        for body in [Data("{\"token\":\"x\"}".utf8) + [0xFF], Data("token=x\0".utf8)] {
            #expect(redacted(body: body) == body)
        }
    }
}

/// Numbers secrets in the order in which they occur.
private struct Numbers {
    private var secrets: [String] = []

    mutating func placeholder(_ secret: String) -> String {
        if !secrets.contains(secret) { secrets.append(secret) }
        return "REDACTED-\((secrets.firstIndex(of: secret) ?? 0) + 1)"
    }
}

extension String {
    fileprivate var placeholders: String { replacing("§", with: "REDACTED-") }
}
