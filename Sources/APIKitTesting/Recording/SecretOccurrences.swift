import APIKit
import Foundation

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
            let isNumber = secret.utf8.allSatisfy(ByteSet.digits.contains)
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
            let text = secret.isNumber && isNumber(match.range, in: bytes) ? "" : SecretTable.prefix
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
        let isDigit = { ByteSet.digits.contains($0) || $0 == UInt8(ascii: ".") }
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
