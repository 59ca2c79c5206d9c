import Foundation
import Testing

@testable import APIKit

@Suite struct RedactionTests {
    @Test(arguments: [
        ("https://h.example/?pwd=x", "https://h.example/?pwd=***"),
        ("https://h.example/?access_token=x&page=2", "https://h.example/?access_token=***&page=2"),
        ("https://h.example/?page=2&API-Key=x#top", "https://h.example/?page=2&API-Key=***#top"),
        ("https://h.example/?pwd=a=b", "https://h.example/?pwd=***"),
        ("https://h.example/?pwd=x&pwd=y", "https://h.example/?pwd=***&pwd=***"),
        ("https://h.example/?api%5Fkey=x", "https://h.example/?api%5Fkey=***"),
        ("https://h.example/?user%5Bpassword%5D=x", "https://h.example/?user%5Bpassword%5D=***"),
        ("https://user:x@h.example/dogs", "https://***@h.example/dogs"),
        ("https://h.example/#access_token=x&n=1", "https://h.example/#access_token=***&n=1"),
        (
            "https://h.example/a;jsessionid=x;v=1?c=d",
            "https://h.example/a;jsessionid=***;v=1?c=d"
        ),
        (
            "https://h.example/?to=https%3A%2F%2Fada:x%40h%2F%3Fpwd%3Dx%26a=b",
            "https://h.example/?to=https%3A%2F%2F***%40h%2F%3Fpwd%3D***%26a=b"
        ),
        (
            "https://h.example/?filter=%7B%22pwd%22:%22x%22%7D",
            "https://h.example/?filter=%7B%22pwd%22:%22***%22%7D"
        ),
        ("/dogs?secret=x", "/dogs?secret=***"), ("?secret=x", "?secret=***"),
    ])
    func secretsInURLAreMasked(url: String, text: String) throws {
        #expect(try Redaction.text(of: .make(url)) == text)
    }

    @Test(arguments: [
        "https://h.example", "https://h.example/?page=2&q=a%20b&&empty=&flag", "/dogs/token",
        "https://h.example/?token", "https://h.example/@dogs?keyboard=qwerty",
        "https://h.example/#token", "https://h.example/?", "dogs",
    ])
    func otherPartsOfURLAreUnchanged(url: String) throws {
        #expect(try Redaction.text(of: .make(url)) == url)
    }

    @Test func relativeURLIsResolvedAndMasked() throws {
        let url = try #require(
            URL(string: "dogs?secret=x", relativeTo: .make("https://h.example/v1/")))

        #expect(Redaction.text(of: url) == "https://h.example/v1/dogs?secret=***")
    }

    @Test(arguments: [
        "https://a/,https://u:p@b/", "https://a/x;https://u:p@b/", "https:////u:p@b/",
        "'https://u:p@b/'",
    ])
    func userOfEveryURLInTextIsMasked(text: String) {
        let masked = text.replacing("u:p@", with: "***@")

        #expect(Redaction.secrets.text(ofValue: text) == masked)
    }

    // In the following texts, the secrets stand between ⟦ and ⟧.
    @Test(arguments: [
        "4111111111111111", "4111 1111 1111 1111", "5555-5555-5555-4444", "378282246310005",
        "3782 822463 10005", "6011111111111117", "3530111333300000", "2223003122003222",
        "341111111111111", "6500000000000002", "6200000000000005", "ES91 2100 0418 4502 0005 1332",
        "ES9121000418450200051332", "DE89370400440532013000", "NO9386011117947",
    ])
    func numberOfCardOrAccountIsMasked(number: String) {
        expectMask("paid with ⟦\(number)⟧.")
        expectMask("⟦\(number)⟧, ⟦\(number)⟧ 12/27 OK, ⟦\(number)⟧ (rent)")
    }

    @Test(arguments: [
        "4111111111111111x and 4111111111111111.5 and DE89370400440532013001 and NO9386011117940",
        // Keys
        "my key=-----BEGIN RSA PRIVATE KEY-----\n⟦MIIB⟧\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n⟦MIIB⟧\n-----END PGP PRIVATE KEY BLOCK-----",
        "?key=-----BEGIN%20PRIVATE", "<a key=-----BEGIN x>", "-----BEGIN A", "-----BEGIN ",
        "see ⟦eyJhbGciOiJSU0EifQ.aa.bb.cc.dd⟧ now and eyJhbG.aa.bb and eyJhbGciOiJSU0EifQ.a",
        "ghp_a1b2 sk-abcdefghijklmnopqrstuvwxyz",
        // JSON
        #"{"pin":"⟦123 456⟧","otp":"⟦1234⟧","api_key":"missing","csrf":"⟦HunterTwo⟧"}"#,
        #"{"session":{"id":"⟦q8Zt3kLw9Xv2Rb7Nc1Ym⟧"},"user":{"id":"q8Zt3kLw9Xv2Rb7Nc1Ym"}}"#,
        #"{"client_secret":{"a":"⟦q8Zt3kLw9Xv2Rb7Nc1Ym⟧","b":{"c":"⟦q8Zt3kLw9Xv2Rb7Nc1Ym⟧"}}}"#,
        #"{"signature":"12:34:56","csrf":"Thu, 24 Aug 2023 05:01:45 GMT","api_key":"P1DT2H"}"#,
        #"{"token":"https://h.example/a/⟦q8Zt3kLw9Xv2Rb7Nc1Ym⟧?page=2"}"#,
        #"{"client_secret":"https://h.example/a"}"#,
        // HTML
        #"<input type="password" name="f1" value="⟦x⟧"><input id="api_key" value="⟦x⟧">"#,
        #"<INPUT NAME="api_key" VALUE="⟦x⟧"><input name="page" value="x">"#,
        "<password><![CDATA[⟦a]b⟧]]></password>",
        "<i data-x=\"{&#34;access_token&#34;:&#x22;⟦abc⟧&#x22;}\">",
        "<b>password</b>: ⟦x⟧", "password: <b>⟦x⟧</b>",
        "<key>password</key><string>⟦x⟧</string><string>abc</string>",
        // Settings and code
        "password: ⟦a#b⟧ # note", "password: ⟦#abc⟧", "password=${PASSWORD}", "password: null",
        "password = read()", "password:\nnext: 1",
    ])
    func secretsInTextAreMasked(text: String) {
        expectMask(text)
    }

    @Test(arguments: [
        // The last part is cut, folded, has secrets in its header, or is a file.
        ("--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n⟦x⟧", "multipart/a"),
        (
            "--b\r\nContent-Disposition: form-data;\r\n name=\"password\"\r\n\r\n⟦x⟧\r\n--b--",
            "multipart/a"
        ),
        ("--b\r\nX-Api-Key: ⟦x⟧\r\n\r\npage=1\r\n--b--\r\n", "multipart/a"),
        (
            "--b\r\nContent-Disposition: a; name=\"secret\"; filename=\"a.txt\"\r\n\r\nx\r\n--b--",
            "multipart/a"
        ),
        (
            "--b\r\nContent-Disposition: a; name=\"secret\"; filename*=UTF-8''a\r\n\r\nx\r\n--b--",
            "multipart/a"
        ),
        ("--b\r\n--b--\r\n", "multipart/a"),
        ("\0password=x", "text/plain"), ("\0password=x", nil),
    ])
    func secretsInBodyAreMasked(body: String, type: String?) {
        let (value, masked) = Self.unmarked(body)

        let result = Redaction.secrets.body(
            Data(value.utf8), contentType: type.map { "\($0); boundary=b" })
        #expect(result == Data(masked.utf8))
    }

    @Test(arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian])
    func secretInUTF16IsMasked(encoding: String.Encoding) throws {
        for mark in ["", "\u{FEFF}"] {
            let body = try #require("\(mark){\"password\":\"x\"}".data(using: encoding))
            let masked = try #require("\(mark){\"password\":\"***\"}".data(using: encoding))

            #expect(Redaction.secrets.body(body, contentType: nil) == masked)
        }
        let odd = Data([0x41, 0, 0x42])
        #expect(Redaction.secrets.body(odd, contentType: nil) == odd)
    }

    @Test func secretInTextOfAnotherCharsetIsMasked() {
        let start = Data("n=".utf8) + [0xE9]
        let body = start + Data("&password=x".utf8)

        let shown = Redaction.secrets.body(body, contentType: "application/x-www-form-urlencoded")
        #expect(shown == start + Data("&password=***".utf8))
        #expect(Redaction.secrets.body(body, contentType: "image/png") == body)
    }

    @Test func numberStaysJSON() {
        #expect(Redaction.secrets.text(ofValue: #"{"pin":1234}"#) == #"{"pin":"***"}"#)
        let withMark = Data("\u{FEFF}{\"pin\":1234}".utf8)
        #expect(
            Redaction.secrets.body(withMark, contentType: nil)
                == Data("\u{FEFF}{\"pin\":\"***\"}".utf8))
    }

    private func expectMask(_ text: String) {
        let (value, masked) = Self.unmarked(text)

        #expect(Redaction.secrets.text(ofValue: value) == masked)
    }

    /// Returns a text without its marks, and with its secrets masked.
    private static func unmarked(_ text: String) -> (value: String, masked: String) {
        (
            text.replacing("⟦", with: "").replacing("⟧", with: ""),
            text.replacing(/⟦.*?⟧/, with: "***")
        )
    }

    @Test func numberWithoutAnIssuerIsNoCard() {
        // Of these, every tenth has the check digit: times in microseconds, and identifiers of services.
        for start in [1_769_860_800_000_000, 1_000_234_567_890_100, 7_112_345_678_901_200] {
            let numbers = (0..<100).map { "\(start + $0)" }.joined(separator: ", ")
            #expect(Redaction.secrets.text(ofValue: numbers) == numbers)
        }
        expectMask("4100 4200 4300 4400 4500 4600 4700 4800 4111 1111 1111 1111")
        let others = "4111111111111112 411111111111111 41111111111111111 14111111111111111"
        #expect(Redaction.secrets.text(ofValue: others) == others)
    }

    @Test func queryOfAURLInAScriptIsMasked() {
        let text =
            #"<script>let url = "https://h.example/?page=2&api_key=xyz"; password = key()</script>"#

        #expect(
            Redaction.secrets.text(ofValue: text)
                == text.replacing("xyz", with: "***"))
    }

    // The benchmarks measure that the search of such texts is linear.
    @Test(arguments: [
        "*token:", "/?api_key=*token:", "password='", "u:p@", "<a name=",
        "<a><![CDATA[",
        #"{"a":""#, "%2525", "\\", "&amp;", "eyJ", "-----BEGIN RSA PRIVATE KEY-----", "token=\"",
        "[",
    ])
    func secretAfterALongTextIsMasked(piece: String) {
        let length = Stress.count(50_000)
        let text = String(repeating: piece, count: length / piece.utf8.count) + "\n/?api_key=xyz"

        #expect(!Redaction.secrets.text(ofValue: text).contains("xyz"))
    }

    @Test func deeplyNestedValueIsMasked() {
        let text = String(repeating: "?a=", count: 50_000) + "?secret=xyz"

        let shown = Redaction.secrets.text(ofValue: text)

        #expect(!shown.contains("xyz"))
        #expect(shown.hasPrefix("?a=?a=") && shown.hasSuffix("***"))
    }

    @Test func searchOfAPartIgnoresTheTextAfterIt() {
        let text = Array("token=\ndata: 1".utf8)

        let found = SecretSearch(.secrets)
            .secrets(inNamedValuesOf: 0..<7, of: text, plusIsSpace: false)

        #expect(found.isEmpty)
    }

    @Test func encodingErrorIsDescribedWithoutItsValue() {
        let context = EncodingError.Context(codingPath: [], debugDescription: "s3cr3t is long")
        let error = APIError(.transport, underlying: EncodingError.invalidValue("s3cr3t", context))

        #expect(error.description == "The request failed: the top level cannot be encoded.")
    }
}
