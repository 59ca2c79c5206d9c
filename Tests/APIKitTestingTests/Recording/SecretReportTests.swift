import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// What a recording says about its secrets, masked or left.
@Suite(.inTurn) struct SecretReportTests: RedactingEntries {
    @Test(arguments: [0, 1, 2])
    func leakNamesItsPlaceAndNotTheSecret(alignment: Int) throws {
        var table = RecordedSecrets(after: [])
        let bytes = Data(repeating: 7, count: alignment) + Data("\(Self.token)z".utf8)
        var other = entry("https://h.example/a/b")
        other.response.body = bytes + [0xFF, 0]
        let entries = table.redact([entry("/?secret=\(Self.token)"), other], by: .secrets)

        let leak = try #require(table.leak(in: HARFile(entries: entries), data: Data()))

        #expect(leak.hasPrefix("Entry 2, POST /a/b: the response body contains a secret"))
        #expect(!leak.contains(Self.token) && !leak.contains("\n"))
        #expect(table.leak(in: HARFile(), data: bytes.base64EncodedData()) != nil)
        #expect(table.leak(in: HARFile(), data: Data("a\(Self.token)b".utf8)) != nil)
        #expect(table.leak(in: HARFile(), data: Data(Self.token.dropLast().utf8)) == nil)
        let utf16 = try #require(Self.token.data(using: .utf16LittleEndian))
        other = other.sending(body: utf16)
        other.response.body = Data()
        #expect(table.leak(in: HARFile(entries: [other]), data: Data()) != nil)
        other = other.sending(body: Data())
        other.response.body = utf16
        #expect(table.leak(in: HARFile(entries: [other]), data: Data()) != nil)
    }

    @Test func leakIsFoundInEverySpelling() throws {
        let secret = "q8Zt3/Lw9Xv2Rb7+Nc1Ym"
        var table = RecordedSecrets(after: [])
        _ = table.redact([entry(response: #"{"secret":"\#(secret)"}"#)], by: .secrets)
        let percent = "q8Zt3%2FLw9Xv2Rb7%2BNc1Ym"
        let base64 = Data(secret.utf8).base64EncodedString()
        let spellings = [
            secret, percent, percent.replacing("%2F", with: "%2f").replacing("%2B", with: "%2b"),
            percent.replacing("%", with: "%25"), #"q8Zt3\/Lw9Xv2Rb7+Nc1Ym"#, base64,
            base64.replacing("+", with: "-").replacing("/", with: "_"),
        ]

        for spelling in spellings {
            #expect(
                table.leak(in: HARFile(), data: Data("<\(spelling)>".utf8)) != nil, "\(spelling)")
        }
        #expect(table.leak(in: HARFile(), data: Data(secret.uppercased().utf8)) == nil)
    }

    @Test func leakInAPathIsNotShown() throws {
        var table = RecordedSecrets(after: [])
        _ = table.redact([entry("/?secret=\(Self.token)")], by: .secrets)

        let file = HARFile(entries: [entry("https://h.example/\(Self.token)")])
        let leak = try #require(table.leak(in: file, data: Data()))

        #expect(leak.hasPrefix("Entry 1, POST /***: the URL contains a secret"))
        #expect(!leak.contains(Self.token))
    }

    @Test func reportCountsWhatIsMaskedAndNamesWhatIsLeft() {
        let random = "Zt3kLw9Xv2Rb7Nc1Ymq8"
        var table = RecordedSecrets(after: [])
        let headers = [
            "Authorization": "Bearer \(Self.token)", "ETag": "\"\(random)\"",
            "X-Request-Id": random, "X-Sum": "5257a869e7ecebeda32affa62cdca3fa",
        ]
        let response =
            #"{"cursor":"\#(random)","cursor":"x\#(random)","id":"\#(Self.uuid)","password":"x"}"#
        let entries = table.redact(
            [entry("https://h.example/\(random)", headers: headers, response: response)],
            by: .secrets)

        #expect(
            table.report(on: entries) == """
                2 secrets masked: Authorization 1; password 1
                  - looks random and was left: 1 in the URL, first in entry 1
                  - looks random and was left: 2 in the response body, first in entry 1
                """)
    }

    @Test func reportHasAtMostTenLines() {
        let headers = Dictionary((0..<50).map { ("X-\($0)", "Zt3kLw9Xv2Rb7Nc1Ym") }) { $1 }

        let report = RecordedSecrets(after: []).report(on: [entry(headers: headers)])

        #expect(report.split(separator: "\n").count == 9)
    }
}
