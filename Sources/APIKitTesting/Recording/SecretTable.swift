import APIKit
import Foundation

/// The placeholders of the secrets in one recording.
///
/// Equal secrets have the same placeholder, such as `REDACTED-1`. The numbers follow the order in
/// which the secrets occur.
struct SecretTable {
    /// The numbers of the secrets, and of the passwords in Basic credentials.
    private var numbers: [String: Int] = [:]
    private var highest = 0
    /// The highest number in the existing entries.
    ///
    /// A server can send any placeholder in new ones.
    private var highestKnown = 0
    private var redaction = Redaction.nothing

    /// Creates a table whose numbers are greater than those in existing entries.
    init(after entries: [HAREntry]) {
        skipPlaceholders(of: entries)
        highestKnown = highest
    }

    /// Returns the entries with all of their secrets replaced, wherever they occur.
    mutating func redact(_ entries: [HAREntry], by redaction: Redaction) -> [HAREntry] {
        skipPlaceholders(of: entries)
        self.redaction = redaction
        let entries = entries.redacted(by: redaction) { placeholder(for: $0) }
        let occurrences = SecretOccurrences(longSecrets, redaction, alignments: [0])
        return entries.map { $0.mapTexts(occurrences.redacted) }
    }

    /// Returns the description of the first secret that is left in a file, or `nil` if there is none.
    ///
    /// The description names the place, and not the secret.
    func leak(in file: HARFile, data: Data) -> String? {
        // The names of a HAR file can be secrets too, such as the password `response`.
        let blank = HAREntry(
            startedAt: Date(timeIntervalSince1970: 0),
            request: HAREntry.Request(method: "GET", url: "https://h.example/"),
            response: HAREntry.Response(status: 200))
        let names = HARFile(entries: [blank]).data
        let secrets = longSecrets.filter { names.range(of: Data($0.key.utf8)) == nil }
        let occurrences = SecretOccurrences(secrets, redaction, alignments: [0, 1, 2])
        guard !secrets.isEmpty else { return nil }
        for (index, entry) in file.entries.enumerated() {
            guard let place = occurrences.place(in: entry) else { continue }
            let path = occurrences.masked(
                URLComponents(string: entry.request.url)?.percentEncodedPath ?? "")
            return """
                Entry \(index + 1), \(entry.request.method) \(path): the \(place) contains a secret \
                that has a placeholder elsewhere, and the recording cannot replace it there. Remove \
                it from what the test sends, or let the server return another value.
                """
        }
        guard occurrences.occur(in: Array(data)) else { return nil }
        return """
            The file contains a secret that has a placeholder elsewhere. Remove it from what the \
            test sends, or let the server return another value.
            """
    }

    private var longSecrets: [String: Int] { numbers.filter { $0.key.utf8.count >= 8 } }

    private mutating func placeholder(for secret: String) -> String {
        if secret.hasPrefix(Self.prefix), Int(secret.dropFirst(Self.prefix.count)) != nil {
            return secret
        }
        if let number = numbers[secret] { return Self.prefix + "\(number)" }
        // A number in place of a secret number looks like any other, but is that of a placeholder.
        if let number = Int(secret), "\(number)" == secret, 0 < number, number <= highestKnown {
            return Self.prefix + secret
        }
        highest += 1
        numbers[secret] = highest
        if let password = Self.password(ofBasic: secret), numbers[password] == nil {
            numbers[password] = highest
        }
        return Self.prefix + "\(highest)"
    }

    /// Returns the password in Basic credentials (RFC 7617).
    private static func password(ofBasic secret: String) -> String? {
        // Some clients leave the padding out.
        let padding = String(repeating: "=", count: (4 - secret.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: secret + padding),
            let text = String(data: data, encoding: .utf8),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let password = String(text[colon...].dropFirst())
        return password.isEmpty ? nil : password
    }

    private mutating func skipPlaceholders(of entries: [HAREntry]) {
        let prefix = SecretPatterns([Array(Self.prefix.utf8)])
        for entry in entries {
            for bytes in entry.texts {
                for match in prefix.matches(in: bytes) {
                    let digits = bytes[match.range.upperBound...].prefix(9)
                        .prefix(while: ByteSet.digits.contains)
                    highest = max(highest, Int(String(decoding: digits, as: UTF8.self)) ?? 0)
                }
            }
        }
    }

    /// The start of each placeholder.
    static let prefix = "REDACTED-"
}

extension HAREntry {
    /// The texts that can contain secrets.
    fileprivate var texts: [[UInt8]] {
        [Array(request.url.utf8), Array(request.body), Array(response.body)]
            + (request.headers + response.headers).map { Array($0.value.utf8) }
    }

    /// Transforms the texts that can contain secrets.
    ///
    /// Bodies that are not text stay.
    fileprivate func mapTexts(_ transform: ([UInt8]) -> [UInt8]?) -> HAREntry {
        func text(_ text: String) -> String {
            transform(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } ?? text
        }
        func headers(_ headers: [Field]) -> [Field] {
            headers.map { Field(name: $0.name, value: text($0.value)) }
        }
        func body(_ body: Data) -> Data {
            body.mapText { $0.isText(0..<$0.count) ? transform($0) : nil }
        }
        var entry = self
        entry.request.url = text(request.url)
        entry.request.headers = headers(request.headers)
        entry.request.body = body(request.body)
        entry.response.headers = headers(response.headers)
        entry.response.body = body(response.body)
        entry.response.error = response.error.map(text)
        return entry
    }
}
