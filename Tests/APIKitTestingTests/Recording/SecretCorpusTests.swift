import Foundation
import Testing

@testable import APIKit
@testable import APIKitTesting

/// Exchanges that imitate real services, in recordings and in logs.
///
/// The rule decides, not a list of services: the files `held-out` were written after it.
@Suite struct SecretCorpusTests {
    private static let files = ["oauth", "cloud", "services", "formats", "held-out"]
    private static let exchanges = files.flatMap { (try? Exchange.all(in: $0)) ?? [] }

    @Test func corpusHasOneHundredExchanges() throws {
        #expect(Self.exchanges.count >= 100)
        for file in Self.files { #expect(try Exchange.all(in: file).count >= 20) }
    }

    @Test(arguments: exchanges)
    func onlySecretsAreReplacedInARecording(exchange: Exchange) throws {
        var table = SecretTable(after: [])
        let entries = table.redact([exchange.entry], by: .secrets)
        let file = HARFile(entries: entries, placeholders: table.placeholders)

        #expect(table.leak(in: file, data: file.data) == nil)
        let placeholders = table.placeholders.sorted { $0.utf8.count > $1.utf8.count }
        for (redacted, masked) in zip(try #require(entries.first).parts, exchange.masked.parts) {
            let text = placeholders.reduce(String(decoding: redacted.bytes, as: UTF8.self)) {
                $0.replacing($1, with: "§")
            }
            #expect(text == String(decoding: masked.bytes, as: UTF8.self))
        }
    }

    @Test(arguments: exchanges)
    func onlySecretsAreMaskedInALog(exchange: Exchange) throws {
        func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }
        func shown(
            _ headers: [HAREntry.Field], _ body: Data, ofRequest isRequest: Bool
        ) -> [String] {
            headers.map { Redaction.secrets.text(ofHeader: $0.name, $0.value) } + [
                text(
                    Redaction.secrets.body(
                        body, contentType: headers.value(named: "Content-Type"),
                        ofRequest: isRequest))
            ]
        }
        let (entry, masked) = (exchange.entry, exchange.masked)
        let lines =
            [Redaction.secrets.text(ofValue: entry.request.url)]
            + shown(entry.request.headers, entry.request.body, ofRequest: true)
            + shown(entry.response.headers, entry.response.body, ofRequest: false)
        let expected =
            [masked.request.url] + masked.request.headers.map(\.value) + [text(masked.request.body)]
            + masked.response.headers.map(\.value) + [text(masked.response.body)]
        for (line, other) in zip(lines, expected) {
            #expect(
                line.replacing("\"***\"", with: "***")
                    == other.replacing("\"§\"", with: "***")
                    .replacing("§", with: "***"))
        }
    }
}
