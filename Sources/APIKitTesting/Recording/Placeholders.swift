import APIKit
import Foundation

/// The texts in place of the secrets of one recording.
///
/// A placeholder decodes like its secret. A UUID becomes another UUID, a number keeps its
/// length, and a JSON Web Token keeps its header and its other claims. Any other secret becomes a text
/// such as `REDACTED0001`, which is also base64. Equal secrets have the same placeholder.
struct Placeholders {
    /// The placeholders of the existing file, and then the new placeholders in order of occurrence.
    private(set) var all: [String]
    /// The secrets, and their placeholders.
    private(set) var bySecret: [String: String] = [:]
    private var known: Set<String>
    /// The words of the recording, because a new placeholder must differ from all of them.
    private var taken: Set<String>
    private var number = 0
    private let redaction: Redaction

    /// - Parameters:
    ///   - known: The placeholders of the existing file.
    ///   - texts: All texts of the existing and the new entries.
    ///   - redaction: The rule for the claims of a token.
    init(known: [String], texts: [[UInt8]], redaction: Redaction) {
        self.redaction = redaction.adding(values: ["sub", "jti", "sid", "nonce"])
        let words = texts.lazy.flatMap { $0.split { !Self.wordParts.contains($0) } }
        taken = Set(words.map { String(decoding: $0, as: UTF8.self) })
        // Files of earlier versions have no list, and placeholders such as `REDACTED-1`.
        all = known + taken.filter(Self.isOld).subtracting(known).sorted()
        self.known = Set(all)
    }

    /// Returns whether a text has the form of the placeholders in files without a list.
    static func isOld(_ text: String) -> Bool {
        text.hasPrefix("REDACTED-") && text.count > 9
            && text.utf8.dropFirst(9).allSatisfy(ByteSet.digits.contains)
    }

    /// Returns the text in place of a secret.
    mutating func placeholder(for secret: FoundSecret) -> String {
        if known.contains(secret.text) { return secret.text }
        if let text = bySecret[secret.text] { return text }
        let text = token(inPlaceOf: secret.text) ?? newText(like: secret)
        bySecret[secret.text] = text
        all.append(text)
        known.insert(text)
        if let password = Self.password(ofBasic: secret.text), bySecret[password] == nil {
            bySecret[password] = text
        }
        return text
    }

    private mutating func newText(like secret: FoundSecret) -> String {
        let shape = ValueShape(Array(secret.text.utf8))
        let digits = secret.text.utf8.filter(ByteSet.digits.contains).count
        let isNumber = secret.isNumber || digits == secret.text.utf8.count
        while true {
            number += 1
            let text: String
            if isNumber {
                text = Self.number(number, digits: digits)
            } else if shape.isUUID {
                text = "00000000-0000-4000-8000-" + Self.padded(number, 12)
            } else if shape.isHash {
                text = Self.padded(number, secret.text.utf8.count)
            } else {
                text = "REDACTED" + Self.padded(number, number < 10_000 ? 4 : 8)
            }
            if taken.insert(text).inserted { return text }
        }
    }

    /// Returns a number without a leading zero.
    private static func number(_ number: Int, digits: Int) -> String {
        let first = (1..<min(max(digits, 1), 18)).reduce(1) { power, _ in power * 10 }
        return "\(first + number)" + String(repeating: "0", count: max(0, digits - 18))
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        String(repeating: "0", count: max(0, count - "\(number)".count)) + "\(number)"
    }

    private static let wordParts = ByteSet.alphanumerics.union("-")
}

extension Placeholders {
    /// Returns a JSON Web Token without its secrets and with another signature, or `nil` for any
    /// other text.
    private mutating func token(inPlaceOf text: String) -> String? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, text.hasPrefix("eyJ"), let payload = Data(base64URL: parts[1]),
            payload.first == UInt8(ascii: "{")
        else { return nil }
        let bytes = Array(payload)
        let secrets = SecretSearch(redaction).secrets(inText: bytes)
        let claims = Data(bytes.substituting(secrets) { placeholder(for: $0) } ?? bytes).base64URL
        let signature = newText(like: FoundSecret(0..<0, "signature".utf8, name: "signature"))
        return "\(parts[0]).\(claims).\(signature)"
    }

    /// Returns the password in Basic credentials (RFC 7617).
    private static func password(ofBasic secret: String) -> String? {
        guard let data = Data(base64URL: secret[...]), let text = data.utf8Text,
            let colon = text.firstIndex(of: ":")
        else { return nil }
        let password = String(text[colon...].dropFirst())
        return password.isEmpty ? nil : password
    }
}

extension Data {
    /// Decodes base64 in either alphabet, with or without padding.
    fileprivate init?(base64URL text: Substring) {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
            .prefix { $0 != "=" }
        self.init(
            base64Encoded: standard
                + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4))
    }

    fileprivate var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
