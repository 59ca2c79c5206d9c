import APIKit
import Foundation

/// The secrets of a recording: their placeholders, their further occurrences, and the last check.
///
/// A placeholder decodes like its secret. A UUID becomes another UUID, a number keeps its length, and
/// base64 keeps its number of bytes. A JSON Web Token keeps the claims that a client checks. Any other
/// secret becomes a text such as `REDACTED0001`. Equal secrets have the same placeholder.
struct RecordedSecrets {
    private typealias Spelling = (bytes: [UInt8], value: String)

    /// The placeholders of the file, and then the new ones in order of occurrence.
    private(set) var placeholders: [String]
    /// The numbers of secrets that have been masked, by their names.
    private(set) var masked: [String: Int] = [:]
    /// The placeholders of secrets, and of placeholders, which stay themselves.
    private var bySecret: [String: String]
    /// The words of the recording that look like placeholders, because a new one must differ.
    private var taken: Set<String>
    private var number = 0

    /// Keeps the placeholders that occur in the remaining entries of a file.
    init(after entries: [RecordedExchange], placeholders: [String] = []) {
        let texts = Array(entries.flatMap(\.texts).map(\.bytes).joined(separator: [0]))
        self.placeholders = ByteStrings.texts(placeholders, in: texts)
        taken = Set(self.placeholders)
        bySecret = Dictionary(taken.map { ($0, $0) }) { first, _ in first }
        addWords(of: entries)
    }

    /// The secrets that look random, with their placeholders, which no place may contain.
    private var unique: [String: String] {
        bySecret.filter { $0 != $1 && TextShape($0).isRandom(from: 8) }
    }

    /// Returns the entries with placeholders in place of their secrets.
    ///
    /// A secret that looks random is also replaced where it has no name, in all its spellings. In
    /// requests, so is any secret of a response, because the replay returns the placeholder, and the
    /// client sends it again.
    mutating func redact(
        _ entries: [RecordedExchange], by redaction: Redaction
    ) -> [RecordedExchange] {
        addWords(of: entries)
        var (redacted, received) = (entries, [String: String]())
        for index in redacted.indices {
            redacted[index].replaceTexts { place, text in
                redaction.replacingSecrets(in: text, as: place.kind) { secret, name in
                    let new = mask(secret, name)
                    if place.message == .response, Self.isCredential(name) {
                        received[secret] = new
                    }
                    return new
                }
            }
        }
        let occurrences = ByteStrings(unique.flatMap(Self.spellings))
        let sent = ByteStrings(received.flatMap(Self.spellings), areWords: true)
        for index in redacted.indices {
            redacted[index].replaceTexts { place, text in
                let text = occurrences.replacing(in: text, at: place)
                return place.message == .request ? sent.replacing(in: text, at: place) : text
            }
        }
        return redacted
    }

    /// Returns the description of the first secret that is left in a file, or `nil` if there is none.
    ///
    /// The description names the place, and not the secret.
    func leak(in file: HARFile, data: Data) -> String? {
        let check = ByteStrings(
            unique.keys.flatMap { Self.spellings(of: $0, "") + Self.base64Spellings(of: $0) })
        func isLeak(_ bytes: some Sequence<UInt8>) -> Bool {
            !check.occurrences(in: Array(bytes)).isEmpty
        }
        let remedy = """
            contains a secret that has a placeholder elsewhere, and the recording cannot replace it \
            there. Remove it from what the test sends, or let the server return another value.
            """
        for (index, entry) in file.entries.enumerated() {
            guard let text = entry.texts.first(where: { isLeak($0.bytes) }) else { continue }
            let path = entry.request.url.path()
            let shown = isLeak(path.utf8) ? "/\(Redaction.mask)" : path
            return
                "Entry \(index + 1), \(entry.request.method) \(shown): the \(text.place.name) \(remedy)"
        }
        return isLeak(data) ? "The file \(remedy)" : nil
    }
}

extension RecordedSecrets {
    private mutating func addWords(of entries: [RecordedExchange]) {
        for text in entries.lazy.flatMap(\.texts) {
            let words = text.bytes.split(whereSeparator: Self.noWordParts.contains)
                .filter { "R01".utf8.contains($0[$0.startIndex]) }
            taken.formUnion(words.map { String(decoding: $0, as: UTF8.self) })
        }
    }

    private static let noWordParts = ByteSet.alphanumerics.union("-+/=").inverted

    /// Returns whether a name is not that of a cookie such as `theme=dark`.
    private static func isCredential(_ name: String) -> Bool {
        !name.hasPrefix("cookie ") || Redaction.hidesHeader(String(name.dropFirst(7)))
    }

    private mutating func mask(_ secret: String, _ name: String) -> String {
        masked[name, default: 0] += 1
        return placeholder(for: secret)
    }

    /// Returns the text in place of a secret.
    private mutating func placeholder(for secret: String) -> String {
        if let text = bySecret[secret] { return text }
        let text = token(inPlaceOf: secret) ?? newText(like: secret)
        (bySecret[secret], bySecret[text]) = (text, text)
        placeholders.append(text)
        if let password = Self.password(ofBasic: secret), bySecret[password] == nil {
            bySecret[password] = text
        }
        return text
    }

    /// Returns the password of Basic credentials (RFC 7617), which can occur elsewhere.
    private static func password(ofBasic text: String) -> String? {
        let password = Data(base64URL: text[...])?.utf8Text?.split(at: ":").1 ?? ""
        return password.isEmpty ? nil : String(password)
    }

    private mutating func newText(like secret: String) -> String {
        let bytes = Array(secret.utf8)
        var (start, digitCount, end) = ("REDACTED", 4, "")
        if bytes.allSatisfy(ByteSet.digits.contains) {
            (start, digitCount) = ("1", bytes.count - 1)
        } else if TextShape(secret).isUUID {
            (start, digitCount) = ("00000000-0000-4000-8000-", 12)
        } else if [24, 32, 40, 48, 56, 64, 96, 128].contains(bytes.count),
            bytes.allSatisfy(ByteSet.hexDigits.contains)
        {
            (start, digitCount) = ("", bytes.count)
        } else if bytes.count >= 24, bytes.contains(where: "+/=".utf8.contains),
            Data(base64Encoded: secret) != nil
        {
            // Before the padding, `A` stands for zero bits.
            end = "A" + secret.drop { $0 != "=" }
            digitCount = bytes.count - start.utf8.count - end.utf8.count
        }
        while true {
            number += 1
            let zeros = String(repeating: "0", count: max(0, digitCount - "\(number)".count))
            let text = "\(start)\(zeros)\(number)\(end)"
            if taken.insert(text).inserted { return text }
        }
    }

    /// Returns a JSON Web Token (RFC 7519) without its secrets and with another signature, or `nil`
    /// for any other text.
    ///
    /// Of its text claims, those remain that a client checks and that are no secrets.
    private mutating func token(inPlaceOf text: String) -> String? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, text.hasPrefix("eyJ"), let payload = Data(base64URL: parts[1]),
            let claims = try? JSONDecoder().decode([String: JSONValue].self, from: payload)
        else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try? encoder.encode(
            redacted(.object(claims), besides: ["iss", "aud", "typ", "scope"]))
        let claimsPart = data?.base64EncodedString().replacing("=", with: "").inBase64URL
        return claimsPart.map { "\(parts[0]).\($0).\(newText(like: "signature"))" }
    }

    private mutating func redacted(
        _ claim: JSONValue, besides names: Set<String> = []
    ) -> JSONValue {
        switch claim {
        case .string(let text): return .string(text.isEmpty ? text : placeholder(for: text))
        case .array(let elements): return .array(elements.map { redacted($0) })
        case .object(var members):
            for name in members.keys.sorted() where !names.contains(name) {
                members[name] = members[name].map { redacted($0) }
            }
            return .object(members)
        default: return claim
        }
    }
}

extension RecordedSecrets {
    /// Returns the spellings of a secret in texts, with a value in place of each.
    private static func spellings(of secret: String, _ value: String) -> [Spelling] {
        let unreserved = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
        let percent = secret.addingPercentEncoding(withAllowedCharacters: unreserved) ?? secret
        // Many apps allow only letters and digits.
        let strict = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret
        let escaped = String(decoding: Array(secret.utf8).jsonEscaped, as: UTF8.self)
        let base64 = Data(secret.utf8).base64EncodedString().replacing("=", with: "")
        return Set([
            secret, percent, strict, percent.replacing("%", with: "%25"),
            percent.replacing(/%../) { $0.output.lowercased() }, secret.withEntities, escaped,
            escaped.replacing("/", with: #"\/"#), base64, base64.inBase64URL,
        ]).map { (Array($0.utf8), value) }
    }

    /// Returns the spellings of a secret in the base64 of a longer text.
    private static func base64Spellings(of secret: String) -> [Spelling] {
        (0..<3).flatMap { count -> [Spelling] in
            // Omit the characters at both ends, which depend on the bytes beside the secret.
            let bytes = Data(repeating: 0, count: count) + Data(secret.utf8)
            let base64 = String(
                bytes.base64EncodedString().prefix(bytes.count * 8 / 6)
                    .dropFirst(count == 0 ? 0 : count + 1))
            return [base64, base64.inBase64URL].map { (Array($0.utf8), "") }
        }
    }
}

extension Data {
    /// Decodes base64 in either alphabet, with or without padding.
    init?(base64URL text: Substring) {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
            .prefix { $0 != "=" }
        let length = (standard.utf8.count + 3) / 4 * 4
        self.init(base64Encoded: standard.padding(toLength: length, withPad: "=", startingAt: 0))
    }
}

extension String {
    /// The base64 text in the other alphabet (RFC 4648, section 5).
    fileprivate var inBase64URL: String { replacing("+", with: "-").replacing("/", with: "_") }

    /// The text with the entities of XML (XML 1.0, section 4.6).
    fileprivate var withEntities: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&apos;")
    }
}
