import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite struct SecretTableTests {
    private let secret = "s3cr3t/+ä \"x\"-Long"

    private func entry(
        _ url: String = "https://h.example/", headers: [String: String] = [:], body: String = "",
        response: Data = Data()
    ) -> HAREntry {
        HAREntry(
            startedAt: Date(timeIntervalSince1970: 0),
            request: HAREntry.Request(
                method: "GET", url: url,
                headers: headers.map { HAREntry.Field(name: $0.key, value: $0.value) },
                body: Data(body.utf8)),
            response: HAREntry.Response(status: 200, body: response))
    }

    /// Redacts a text beside a response that declares the secret.
    private func redacted(_ text: String, secret: String? = nil) throws -> String {
        let declared = try JSONEncoder().encode(["token": secret ?? self.secret])
        var table = SecretTable(after: [])
        let entries = table.redact(
            [entry(body: text), entry(response: declared)], by: .secrets)
        return String(decoding: try #require(entries.first).request.body, as: UTF8.self)
    }

    @Test func placeholdersAreNumberedInOrder() throws {
        var table = SecretTable(after: [])
        let first = entry(
            "https://h/?token=aaaaaaaa", headers: ["X-Key": "b", "A-Key": "c"],
            body: "pin=aaaaaaaa",
            response: Data(#"{"key":"d"}"#.utf8))

        let entries = table.redact([first, entry("/?key=d&sig=e")], by: .secrets)

        #expect(entries[0].request.url == "https://h/?token=REDACTED-1")
        #expect(entries[0].request.headers.first { $0.name == "A-Key" }?.value == "REDACTED-2")
        #expect(entries[0].request.headers.first { $0.name == "X-Key" }?.value == "REDACTED-3")
        #expect(entries[0].request.body == Data("pin=REDACTED-1".utf8))
        #expect(entries[0].response.body == Data(#"{"key":"REDACTED-4"}"#.utf8))
        #expect(entries[1].request.url == "/?key=REDACTED-4&sig=REDACTED-5")
    }

    @Test func placeholderKeepsItsNumber() {
        var table = SecretTable(after: [entry("/?token=REDACTED-7")])

        let entries = table.redact(
            [entry("/?token=REDACTED-3&key=x", response: Data(#"{"pin":7,"cvc":12}"#.utf8))],
            by: .secrets)

        #expect(entries[0].request.url == "/?token=REDACTED-3&key=REDACTED-8")
        #expect(entries[0].response.body == Data(#"{"pin":7,"cvc":9}"#.utf8))
    }

    @Test func everyEncodingOfSecretIsReplaced() throws {
        let encoded = PercentEncodingForTests.encoded(secret)
        let base64 = Data(secret.utf8).base64EncodedString()
        let unpadded = base64.replacing("=", with: "")
        let url = unpadded.replacing("+", with: "-").replacing("/", with: "_")
        let json = String(
            decoding: try JSONEncoder().encode(secret), as: UTF8.self
        ).dropFirst().dropLast()
        let escaped = secret.utf16.map {
            let hex = String($0, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        }.joined()
        let texts = [
            secret, encoded,
            encoded.lowercased().replacing("s3cr3t", with: "s3cr3t").replacing(
                "-long", with: "-Long"),
            encoded.replacing("%20", with: "+"), unpadded, url, String(json), escaped,
            PercentEncodingForTests.encoded(String(json)), escaped.replacing("\\", with: "\\\\"),
        ]
        for text in texts {
            #expect(try redacted("a \(text) b") == "a REDACTED-1 b", "\(text)")
        }
    }

    @Test func shortSecretIsReplacedOnlyByName() throws {
        #expect(try redacted("a 1234567 b", secret: "1234567") == "a 1234567 b")
        #expect(try redacted("a abcdefgh b", secret: "abcdefgh") == "a REDACTED-1 b")
    }

    @Test func longestSecretIsReplacedFirst() {
        var table = SecretTable(after: [])
        let entries = table.redact(
            [entry("/?token=abcdefgh&key=abcdefghijkl", body: "abcdefghijkl abcdefgh")],
            by: .secrets)

        #expect(entries[0].request.body == Data("REDACTED-2 REDACTED-1".utf8))
    }

    @Test func numberStaysNumber() {
        var table = SecretTable(after: [])
        let entries = table.redact(
            [
                entry(
                    response: Data(
                        #"{"pin":12345678,"id": 12345678, "a":"12345678","b":9123456780}"#.utf8))
            ],
            by: .secrets)

        #expect(
            entries[0].response.body
                == Data(#"{"pin":1,"id": 1, "a":"REDACTED-1","b":910}"#.utf8))
    }

    @Test func nameOfSecretStays() {
        var table = SecretTable(after: [])
        let body = #"{"password":"password","a":"{\"password\":1}","b":"password"}"#
        let entries = table.redact(
            [entry("/?password=x", response: Data(body.utf8))], by: .secrets)

        #expect(entries[0].request.url == "/?password=REDACTED-1")
        #expect(
            entries[0].response.body
                == Data(#"{"password":"REDACTED-2","a":"{\"password\":3}","b":"REDACTED-2"}"#.utf8))
        #expect(table.leak(in: HARFile(entries: entries), data: Data()) == nil)
    }

    @Test func placeholderFromServerKeepsNoNumber() {
        var table = SecretTable(after: [])
        let body = #"{"pin":1234,"note":"REDACTED-9999"}"#
        let entries = table.redact([entry(response: Data(body.utf8))], by: .secrets)

        #expect(
            entries[0].response.body == Data(#"{"pin":10000,"note":"REDACTED-9999"}"#.utf8))
    }

    @Test func pathKeepsItsSlash() {
        var table = SecretTable(after: [])
        let entries = table.redact(
            [entry("https://h.example/users/7", headers: ["Cookie": "to=%2Fusers%2F7"])],
            by: .secrets)

        #expect(entries[0].request.url == "https://h.example/REDACTED-1")
    }

    @Test func leakInUTF16IsFound() throws {
        var table = SecretTable(after: [])
        _ = table.redact([entry("/?token=abcdefghi")], by: .secrets)
        let body = try #require("a abcdefghi".data(using: .utf16LittleEndian))

        #expect(table.leak(in: HARFile(entries: [entry(response: body)]), data: Data()) != nil)
    }

    @Test func secretsWithTheSameStartAreFound() {
        let start = String(repeating: "eyJhbGci", count: 4)
        let secrets = (0..<3_000).map { "\(start)\($0)x" } + [start, "\(start)12"]
        let patterns = SecretPatterns(secrets.map { Array($0.utf8) })

        for (index, secret) in secrets.enumerated() {
            #expect(patterns.matches(in: Array(" \(secret)-".utf8)).map(\.pattern) == [index])
        }
        #expect(
            patterns.matches(in: Array("\(start)12-\(start)-\(start.dropLast())".utf8))
                .map(\.pattern) == [3_001, 3_000])
    }

    @Test(arguments: ["ada:correct horse", "ada1:correct horse"])
    func passwordInBasicCredentialsIsReplaced(user: String) {
        var table = SecretTable(after: [])
        // Without padding, as some clients send it.
        let credentials = Data(user.utf8).base64EncodedString().replacing("=", with: "")
        let entries = table.redact(
            [entry(headers: ["Authorization": "Basic \(credentials)"], body: "correct horse!")],
            by: .secrets)

        #expect(entries[0].request.headers.first?.value == "Basic REDACTED-1")
        #expect(entries[0].request.body == Data("REDACTED-1!".utf8))
    }

    @Test(arguments: [0, 1, 2])
    func leakNamesItsPlaceAndNotTheSecret(alignment: Int) throws {
        var table = SecretTable(after: [])
        let prefix = Data(repeating: 7, count: alignment)
        let binary = prefix + Data("abcdefghi".utf8) + [0xFF, 0]
        let nested = Data(
            (prefix + Data("abcdefghi".utf8) + Data("z".utf8)).base64EncodedString().utf8)
        let entries = table.redact(
            [
                entry("/?token=abcdefghi"),
                entry("https://h.example/a/abcdefghi?q", response: binary),
            ], by: .secrets)

        let leak = try #require(table.leak(in: HARFile(entries: entries), data: Data()))
        #expect(leak.hasPrefix("Entry 2, GET /a/REDACTED-1: the response body contains a secret"))
        #expect(!leak.contains("abcdefghi") && !leak.contains("\n"))

        let header = HAREntry.Field(name: "X-A", value: String(decoding: nested, as: UTF8.self))
        var other = entry("https://h.example/b")
        other.request.headers = [header]
        let named = try #require(table.leak(in: HARFile(entries: [other]), data: Data()))
        #expect(named.hasPrefix("Entry 1, GET /b: the request header field X-A contains a secret"))
        #expect(table.leak(in: HARFile(), data: nested) != nil)
        #expect(table.leak(in: HARFile(), data: Data("\"abcd\\u0065fghi\"".utf8)) != nil)
        #expect(table.leak(in: HARFile(), data: Data("\"abcdefgh\"".utf8)) == nil)
    }

    @Test func nameInFileIsNoLeak() {
        var table = SecretTable(after: [])
        let file = HARFile(
            entries: table.redact([entry("/?token=response&key=startedDateTime")], by: .secrets))

        #expect(table.leak(in: file, data: file.data) == nil)
    }

    @Test func leakMasksSecretInPath() throws {
        var table = SecretTable(after: [])
        _ = table.redact([entry("/?token=abcdefghi")], by: .secrets)

        let leak = try #require(
            table.leak(in: HARFile(entries: [entry("https://h/abcdefghi")]), data: Data()))

        #expect(leak.hasPrefix("Entry 1, GET /***: the URL contains a secret"))
    }
}

private enum PercentEncodingForTests {
    static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            guard
                byte > 0x7F
                    || !(scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                        || "-._~".unicodeScalars.contains(scalar))
            else { return String(scalar) }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
