import APIKit
import Foundation

/// The secrets of a recording: their placeholders, their further occurrences, and the last check.
///
/// A placeholder decodes like its secret. A UUID becomes another UUID, a number keeps its length, and
/// base64 keeps its number of bytes. A JSON Web Token keeps the claims that a client checks. Any other
/// secret becomes a text such as `REDACTED0001`. Equal secrets have the same placeholder.
struct RecordedSecrets {
    /// The placeholders of the file, and then the new ones in order of occurrence.
    private(set) var placeholders: [String]
    /// The numbers of secrets that have been masked, by their names.
    private(set) var masked: [String: Int] = [:]
    /// The placeholders of secrets, and of placeholders, which stay themselves.
    private var bySecret: [String: String]
    /// The words of the recording that look like placeholders, because a new one must differ.
    private var taken: Set<String>
    private var number = 0
    private let existing: [HAREntry]

    /// Keeps the placeholders that occur in the remaining entries of a file.
    init(after entries: [HAREntry], placeholders: [String] = []) {
        existing = entries
        let texts = Data(entries.flatMap(\.parts).map(\.bytes).joined(separator: [0]))
        self.placeholders = placeholders.filter { texts.range(of: Data($0.utf8)) != nil }
        taken = Set(self.placeholders)
        bySecret = Dictionary(taken.map { ($0, $0) }) { first, _ in first }
    }

    /// The secrets that look random, with their placeholders, which no place may contain.
    private var unique: [String: String] {
        bySecret.filter { $0 != $1 && TextShape($0).isRandom(from: 8) }
    }

    /// Returns the entries with placeholders in place of their secrets.
    ///
    /// A secret that looks random is also replaced where it has no name: plain, percent-encoded,
    /// with the escapes of JSON, and in base64.
    mutating func redact(_ entries: [HAREntry], by redaction: Redaction) -> [HAREntry] {
        guard redaction.hidesAnything else { return entries }
        for part in (existing + entries).lazy.flatMap(\.parts) {
            for word in part.bytes.split(whereSeparator: Self.noWordParts.contains)
            where word.first.map("R01".utf8.contains) == true {
                taken.insert(String(decoding: word, as: UTF8.self))
            }
        }
        let redacted = entries.map { entry in
            var entry = entry
            entry.request = entry.request.redacted(by: redaction) { mask($0, $1) }
            entry.response.redact(by: redaction) { mask($0, $1) }
            return entry
        }
        let occurrences = ByteStrings(
            unique.flatMap { secret, placeholder in
                Self.spellings(of: secret).map { (bytes: $0, value: placeholder) }
            })
        return redacted.map { $0.replacing(occurrences) }
    }

    /// Returns the description of the first secret that is left in a file, or `nil` if there is none.
    ///
    /// The description names the place, and not the secret.
    func leak(in file: HARFile, data: Data) -> String? {
        let check = ByteStrings(
            unique.keys.flatMap { secret in
                (Self.spellings(of: secret) + Self.base64Spellings(of: secret)).map {
                    (bytes: $0, value: "")
                }
            })
        func isLeak(_ bytes: some Sequence<UInt8>) -> Bool {
            !check.occurrences(in: Array(bytes)).isEmpty
        }
        let remedy = """
            contains a secret that has a placeholder elsewhere, and the recording cannot replace it \
            there. Remove it from what the test sends, or let the server return another value.
            """
        for (index, entry) in file.entries.enumerated() {
            guard let part = entry.parts.first(where: { isLeak($0.bytes) }) else { continue }
            let path = URLComponents(string: entry.request.url)?.percentEncodedPath ?? ""
            let shown = isLeak(path.utf8) ? "/\(Redaction.mask)" : path
            return
                "Entry \(index + 1), \(entry.request.method) \(shown): the \(part.name) \(remedy)"
        }
        return isLeak(data) ? "The file \(remedy)" : nil
    }
}

extension RecordedSecrets {
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
        // The password of Basic credentials (RFC 7617) can occur elsewhere.
        let credentials = Data(base64URL: secret[...])?.utf8Text?.split(
            separator: ":", maxSplits: 1)
        if let credentials, credentials.count == 2, bySecret[String(credentials[1])] == nil {
            bySecret[String(credentials[1])] = text
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
                text = "1" + Self.padded(number, bytes.count - 1)
            } else if shape.isUUID {
                text = "00000000-0000-4000-8000-" + Self.padded(number, 12)
            } else if [24, 32, 40, 48, 56, 64, 96, 128].contains(bytes.count),
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

    private static func padded(_ number: Int, _ count: Int) -> String {
        String(repeating: "0", count: max(0, count - "\(number)".count)) + "\(number)"
    }

    private static let noWordParts = ByteSet.alphanumerics.union("-+/=").inverted
}

extension RecordedSecrets {
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
}

extension RecordedSecrets {
    /// Returns the spellings of a secret in texts.
    private static func spellings(of secret: String) -> [[UInt8]] {
        let unreserved = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
        let percent = secret.addingPercentEncoding(withAllowedCharacters: unreserved) ?? secret
        let escaped = secret.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
        let base64 = Data(secret.utf8).base64EncodedString().replacing("=", with: "")
        return Set([
            secret, percent, percent.replacing("%", with: "%25"),
            percent.replacing(/%../) { $0.output.lowercased() },
            escaped, escaped.replacing("/", with: #"\/"#),
            base64, base64.replacing("+", with: "-").replacing("/", with: "_"),
        ]).map { Array($0.utf8) }
    }

    /// Returns the spellings of a secret in the base64 of a longer text.
    private static func base64Spellings(of secret: String) -> [[UInt8]] {
        (0..<3).flatMap { count -> [[UInt8]] in
            // Omit the characters at both ends, which depend on the bytes beside the secret.
            let bytes = Data(repeating: 0, count: count) + Data(secret.utf8)
            let base64 = String(
                bytes.base64EncodedString().prefix(bytes.count * 8 / 6)
                    .dropFirst(count == 0 ? 0 : count + 1))
            return [base64, base64.replacing("+", with: "-").replacing("/", with: "_")]
                .map { Array($0.utf8) }
        }
    }
}

extension HAREntry {
    /// The texts that can contain secrets, with the names of their places.
    var parts: [(name: String, bytes: [UInt8])] {
        func fields(_ headers: [Field], of message: String) -> [(String, [UInt8])] {
            headers.map { ("\(message) header field \($0.name)", Array($0.value.utf8)) }
        }
        // Without its zero bytes, UTF-16 can be searched like ASCII.
        return [("URL", Array(request.url.utf8))] + fields(request.headers, of: "request")
            + [("request body", request.body.filter { $0 != 0 })]
            + fields(response.headers, of: "response")
            + [("error", Array((response.error ?? "").utf8))]
            + [("response body", response.body.filter { $0 != 0 })]
    }

    /// Returns the entry with the values in place of secrets.
    fileprivate func replacing(_ secrets: ByteStrings) -> HAREntry {
        var entry = self
        entry.request.url = secrets.replacing(in: request.url)
        entry.request.replace(secrets)
        entry.response.replace(secrets)
        entry.response.error = response.error.map { secrets.replacing(in: $0) }
        return entry
    }
}

extension HAREntry.Request {
    /// Returns the request with its secrets replaced.
    func redacted(by redaction: Redaction, with replacement: Redaction.Replacement) -> Self {
        var request = self
        request.url = redaction.replacingSecrets(in: url, with: replacement)
        request.redact(by: redaction, with: replacement)
        return request
    }
}

extension HARMessage {
    fileprivate mutating func redact(
        by redaction: Redaction, with replacement: Redaction.Replacement
    ) {
        let type = headers.value(named: "Content-Type")
        // In the order of the names, so that the result is always the same.
        let order = headers.indices.sorted {
            (headers[$0].name.lowercased(), $0) < (headers[$1].name.lowercased(), $1)
        }
        for index in order {
            headers[index].value = redaction.replacingSecrets(
                inHeader: headers[index].name, headers[index].value, with: replacement)
        }
        setBody(redaction.replacingSecrets(inBody: body, contentType: type, with: replacement))
    }

    /// Replaces further occurrences of secrets, apart from media types and binary bodies.
    fileprivate mutating func replace(_ secrets: ByteStrings) {
        for index in headers.indices where headers[index].name.lowercased() != "content-type" {
            headers[index].value = secrets.replacing(in: headers[index].value)
        }
        if body.utf8Text != nil { setBody(secrets.replacing(in: body)) }
    }

    /// Sets the body and its `Content-Length`, which a client checks in a replay.
    ///
    /// If the length is unchanged, the field is too, because it may differ from the length, as in the
    /// response to a HEAD.
    private mutating func setBody(_ body: Data) {
        if body.count != self.body.count {
            headers.replaceValues(of: "content-length", with: "\(body.count)")
        }
        self.body = body
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
