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
        var entries = entries
        for index in entries.indices {
            entries[index].request = entries[index].request.redacted(by: redaction) {
                placeholder(for: $0)
            }
            entries[index].response = entries[index].response.redacted(by: redaction) {
                placeholder(for: $0)
            }
        }
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
                        .prefix { (0x30...0x39).contains($0) }
                    highest = max(highest, Int(String(decoding: digits, as: UTF8.self)) ?? 0)
                }
            }
        }
    }

    private static let prefix = "REDACTED-"
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

/// The occurrences of secrets in texts, plain, encoded or escaped.
struct SecretOccurrences {
    private let patterns: SecretPatterns
    private let secrets: [(number: Int, isNumber: Bool, isName: Bool)]
    private let haveSpaces: Bool

    /// - Parameters:
    ///   - secrets: The secrets of at least eight bytes, and their numbers.
    ///   - redaction: The rule whose names are not secrets before a value.
    ///   - alignments: The places of base64 text at which a secret can start, modulo three bytes.
    init(_ secrets: [String: Int], _ redaction: Redaction, alignments: [Int]) {
        var patterns: [[UInt8]] = []
        var infos: [(number: Int, isNumber: Bool, isName: Bool)] = []
        for (secret, number) in secrets.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
            let isNumber = secret.utf8.allSatisfy { (0x30...0x39).contains($0) }
            let isName = redaction.hidesValue(named: secret)
            for pattern in [Array(secret.utf8)] + Self.base64(secret, alignments) {
                patterns.append(pattern)
                infos.append((number, isNumber, isName))
            }
        }
        self.patterns = SecretPatterns(patterns)
        self.secrets = infos
        haveSpaces = secrets.keys.contains { $0.utf8.contains(UInt8(ascii: " ")) }
    }

    /// Returns a text with placeholders in place of the secrets, or `nil` if it has none.
    func redacted(_ bytes: [UInt8]) -> [UInt8]? {
        let edits = edits(in: bytes, depth: 3)
        return edits.isEmpty ? nil : edits.applied(to: bytes)
    }

    func occur(in bytes: [UInt8]) -> Bool { !edits(in: bytes, depth: 3).isEmpty }

    func masked(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let edits = edits(in: bytes, depth: 3).map { TextEdit($0.range, Array("***".utf8)) }
        return String(decoding: edits.applied(to: bytes), as: UTF8.self)
    }

    /// Returns the name of the part of an entry in which a secret occurs.
    func place(in entry: HAREntry) -> String? {
        func isIn(_ text: String) -> Bool { occur(in: Array(text.utf8)) }
        func isIn(_ body: Data) -> Bool {
            var isFound = false
            _ = body.mapText {
                isFound = occur(in: $0)
                return nil
            }
            return isFound
        }
        func field(_ headers: [HAREntry.Field], of message: String) -> String? {
            headers.first { isIn($0.value) || isIn($0.name) }.map {
                "\(message) header field \(masked($0.name))"
            }
        }
        if isIn(entry.request.url) { return "URL" }
        if let field = field(entry.request.headers, of: "request") { return field }
        if isIn(entry.request.body) { return "request body" }
        if let field = field(entry.response.headers, of: "response") { return field }
        if let error = entry.response.error, isIn(error) { return "error" }
        return isIn(entry.response.body) ? "response body" : nil
    }

    private func edits(in bytes: [UInt8], depth: Int) -> [TextEdit] {
        var edits: [TextEdit] = patterns.matches(in: bytes).compactMap { match in
            let secret = secrets[match.pattern]
            if secret.isName, isName(match.range, in: bytes) { return nil }
            let text = secret.isNumber && isNumber(match.range, in: bytes) ? "" : "REDACTED-"
            // A path keeps its slash, because it may follow a host.
            let start = bytes[match.range].prefix { $0 == UInt8(ascii: "/") }.endIndex
            return TextEdit(
                start..<match.range.upperBound, Array("\(text)\(secret.number)".utf8))
        }
        guard depth > 0 else { return edits }
        let all = 0..<bytes.count
        func search(_ plain: UnescapedText) {
            guard plain.hasEscapes else { return }
            edits += self.edits(in: plain.bytes, depth: depth - 1).map {
                TextEdit(plain.source(of: $0.range), $0.text)
            }
        }
        search(UnescapedText(json: all, of: bytes))
        search(UnescapedText(percentEncoded: all, of: bytes))
        if haveSpaces {
            search(UnescapedText(percentEncoded: all, of: bytes, plusIsSpace: true))
        }
        return edits.withoutOverlaps
    }

    /// Returns whether a word is the name of a value, such as the first of two in
    /// `password=password`.
    private func isName(_ range: Range<Int>, in bytes: [UInt8]) -> Bool {
        let rest = bytes[range.upperBound...].drop { "\\\"' ".utf8.contains($0) }
        return rest.first.map(":=".utf8.contains) ?? false
    }

    /// Returns whether digits are a number in JSON, or a part of a longer number.
    private func isNumber(_ range: Range<Int>, in bytes: [UInt8]) -> Bool {
        let before = bytes[..<range.lowerBound].last { $0 != UInt8(ascii: " ") } ?? 0
        let after = bytes[range.upperBound...].first { $0 != UInt8(ascii: " ") } ?? 0
        let isDigit = { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        return isDigit(before) || isDigit(after)
            || ":[,".utf8.contains(before) && ",]}\r\n".utf8.contains(after)
    }

    /// Returns the base64 text of a secret, in both alphabets, without the characters that depend on
    /// the bytes before and after it.
    private static func base64(_ secret: String, _ alignments: [Int]) -> [[UInt8]] {
        alignments.flatMap { alignment -> [[UInt8]] in
            let bytes = Data(count: alignment) + Data(secret.utf8)
            let text = bytes.base64EncodedString().filter { $0 != "=" }
            let end = alignments.count == 1 ? text.count : bytes.count * 8 / 6
            let start = alignment == 0 ? 0 : alignment + 1
            let pattern = Array(text.utf8)[start..<end]
            let url = pattern.map { byte in
                switch byte {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: byte
                }
            }
            return url == Array(pattern) ? [url] : [Array(pattern), url]
        }
    }
}
