import APIKit
import Foundation
import Testing

/// Exchanges and values that imitate real services.
///
/// Each shows what becomes of its secrets. The rule decides, not a list of services.
@Suite(.inTurn) struct SecretCorpusTests {
    private static let exchanges = ["oauth", "cloud", "services", "formats", "held-out"]
        .flatMap { (try? Exchange.all(in: $0)) ?? [] }

    @Test func fewSecretsAreLeftToTheReader() {
        let masked = Self.exchanges.map(\.counts.masked).reduce(0, +)
        let left = Self.exchanges.map(\.counts.left).reduce(0, +)

        #expect(Self.exchanges.count >= 130)
        #expect(masked > 200 && left <= 40)
    }

    @Test(arguments: exchanges)
    func onlySecretsOfAnExchangeAreMasked(exchange: Exchange) {
        let shown = [exchange.request, exchange.response].map { $0.replacingSecrets() }

        #expect(shown.map(\.withoutQuotes) == exchange.masked.map(\.withoutQuotes))
        #expect(shown.map { $0.replacingSecrets() } == shown)
    }

    private static func lines(of file: String) -> [String] {
        let url = Bundle.module.resourceURL?.appending(path: "Fixtures/Secrets/\(file).txt")
        let text = url.flatMap { try? String(contentsOf: $0, encoding: .utf8) } ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    @Test func listsAreLong() {
        #expect(Self.lines(of: "secrets").count >= 150)
        #expect(Self.lines(of: "harmless").count >= 190)
        #expect(Self.lines(of: "harmless").count { $0.hasSuffix("¶") } <= 5)
    }

    @Test(arguments: lines(of: "secrets"))
    func secretIsMasked(line: String) {
        var random = SeededGenerator(seed: 29)
        let text = MarkedText(line.replacing("⏎", with: "\n")[...], using: &random)

        let shown = Self.shown(text.plain)

        #expect(text.counts.masked > 0)
        #expect(
            shown.replacing("\"***\"", with: "***")
                == text.masked.dropFirst(2).replacing("\"***\"", with: "***"))
    }

    /// A value whose mask is accepted has the mark `¶`.
    @Test(arguments: lines(of: "harmless"))
    func harmlessValueStays(line: String) {
        let value = line.replacing(" ¶", with: "")

        #expect((Self.shown(value) == value.dropFirst(2)) == (value == line))
    }

    /// Returns the texts before and after a separator.
    private static func halves(of text: String, at separator: String) -> (String, String) {
        let halves = text.split(separator: separator, maxSplits: 1).map(String.init)
        return (halves.first ?? "", halves[at: 1] ?? "")
    }

    /// Returns a header field, a URL, a form, JSON, a part of a form or any other text as in a log.
    private static func shown(_ line: String) -> String {
        let text = String(line.dropFirst(2))
        func body(_ text: String, _ type: String) -> String {
            Redaction.secrets.replacingSecrets(in: text, as: .body(contentType: type)) { _, _ in
                "***"
            }
        }
        switch line.first {
        case "H":
            let (name, field) = halves(of: text, at: ": ")
            let value = Redaction.secrets.replacingSecrets(in: field, as: .header(named: name)) {
                _, _ in "***"
            }
            return "\(name): \(value)"
        case "F": return body(text, "application/x-www-form-urlencoded")
        case "J": return body(text, "application/json")
        case "M":
            let (name, value) = halves(of: text, at: "|")
            let start = "--b\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n"
            let shown = body(
                "\(start)\(value)\r\n--b--\r\n", "multipart/form-data; boundary=\"b\"")
            return "\(name)|\(shown.dropFirst(start.count).prefix { $0 != "\r\n" })"
        default: return Redaction.secrets.masked(text)
        }
    }
}

extension Exchange.Message {
    /// The message in which a masked number is like a masked text.
    fileprivate var withoutQuotes: Self {
        var message = self
        message.body = body.replacing("\"***\"", with: "***")
        return message
    }
}
