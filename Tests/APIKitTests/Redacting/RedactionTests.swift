import APIKit
import Foundation
import Testing

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

    @Test(arguments: [
        "4111111111111111", "4111 1111 1111 1111", "5555-5555-5555-4444", "378282246310005",
        "6011111111111117", "3530111333300000", "2223003122003222",
    ])
    func cardNumberIsMasked(number: String) {
        #expect(Redaction.secrets.text(ofValue: "paid with \(number).") == "paid with ***.")
    }

    @Test func numberWithoutAnIssuerIsNoCard() {
        // Of these, every tenth has the check digit: times in microseconds, and identifiers of services.
        for start in [1_769_860_800_000_000, 1_000_234_567_890_100, 7_112_345_678_901_200] {
            let numbers = (0..<100).map { "\(start + $0)" }.joined(separator: ", ")
            #expect(Redaction.secrets.text(ofValue: numbers) == numbers)
        }
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

    @Test func encodingErrorIsDescribedWithoutItsValue() {
        let context = EncodingError.Context(codingPath: [], debugDescription: "s3cr3t is long")
        let error = APIError(.transport, underlying: EncodingError.invalidValue("s3cr3t", context))

        #expect(error.description == "The request failed: the top level cannot be encoded.")
    }
}
