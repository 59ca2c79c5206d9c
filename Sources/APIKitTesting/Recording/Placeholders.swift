import APIKit
import Foundation

/// The texts in place of the secrets of one recording.
///
/// A placeholder decodes like its secret: a UUID becomes another UUID, a number keeps its length,
/// base64 keeps its number of bytes, and a JSON Web Token keeps the claims that a client checks. Any
/// other secret becomes a text such as `REDACTED0001`. Equal secrets have the same placeholder.
struct Placeholders {
    /// The placeholders of the existing file, and then the new placeholders in order of occurrence.
    private(set) var all: [String]
    /// The secrets, and their placeholders.
    private(set) var bySecret: [String: String] = [:]
    private var known: Set<String>
    /// The words of the recording that look like placeholders, because a new one must differ.
    private var taken: Set<String>
    private var number = 0

    /// - Parameter known: The placeholders of the existing file.
    init(_ known: [String]) {
        all = known
        self.known = Set(known)
        taken = self.known
    }

    /// Makes new placeholders differ from the words of entries.
    mutating func avoidTexts(in entries: [HAREntry]) {
        for part in entries.lazy.flatMap(\.parts) {
            for word in part.bytes.split(whereSeparator: Self.noWordParts.contains)
            where word.first.map("R01".utf8.contains) == true {
                taken.insert(String(decoding: word, as: UTF8.self))
            }
        }
    }

    /// Returns the text in place of a secret.
    mutating func placeholder(for secret: String) -> String {
        if known.contains(secret) { return secret }
        if let text = bySecret[secret] { return text }
        let text = token(inPlaceOf: secret) ?? newText(like: secret)
        bySecret[secret] = text
        all.append(text)
        known.insert(text)
        if let password = Self.password(ofBasic: secret), bySecret[password] == nil {
            bySecret[password] = text
        }
        return text
    }

    private mutating func newText(like secret: String) -> String {
        let (bytes, shape) = (Array(secret.utf8), TextShape(secret))
        let isBase64 =
            bytes.count >= 24 && bytes.count % 4 == 0 && bytes.contains(where: "+/=".utf8.contains)
            && Data(base64Encoded: secret) != nil
        while true {
            number += 1
            let text: String
            if bytes.allSatisfy(ByteSet.digits.contains) {
                text = Self.number(number, digits: bytes.count)
            } else if shape.isUUID {
                text = "00000000-0000-4000-8000-" + Self.padded(number, 12)
            } else if Self.hashSizes.contains(bytes.count),
                bytes.allSatisfy(ByteSet.hexDigits.contains)
            {
                text = Self.padded(number, bytes.count)
            } else {
                let start = "REDACTED" + Self.padded(number, number < 10_000 ? 4 : 8)
                let padding = bytes.reversed().prefix { $0 == UInt8(ascii: "=") }.count
                // `A` stands for zero bits.
                let rest = String(
                    repeating: "A", count: max(0, bytes.count - padding - start.utf8.count))
                text = isBase64 ? start + rest + String(repeating: "=", count: padding) : start
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

    private static let noWordParts = ByteSet.alphanumerics.union("-+/=").inverted
    private static let hashSizes: Set = [24, 32, 40, 48, 56, 64, 96, 128]
}

extension Placeholders {
    /// Returns a JSON Web Token (RFC 7519) without its secrets and with another signature, or `nil`
    /// for any other text.
    ///
    /// Of its text claims, those remain that a client checks and that are no secrets.
    private mutating func token(inPlaceOf text: String) -> String? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, text.hasPrefix("eyJ"), let payload = Data(base64URL: parts[1]),
            var claims = try? JSONDecoder().decode([String: HTTPBody.JSON].self, from: payload)
        else { return nil }
        for name in claims.keys.sorted() where !["iss", "aud", "typ", "scope"].contains(name) {
            claims[name] = claims[name].map { redacted($0) }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(claims) else { return nil }
        return "\(parts[0]).\(data.base64URL).\(newText(like: "signature"))"
    }

    private mutating func redacted(_ claim: HTTPBody.JSON) -> HTTPBody.JSON {
        switch claim {
        case .string(let text): return .string(text.isEmpty ? text : placeholder(for: text))
        case .array(let elements): return .array(elements.map { redacted($0) })
        case .object(var members):
            for name in members.keys.sorted() { members[name] = members[name].map { redacted($0) } }
            return .object(members)
        default: return claim
        }
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
