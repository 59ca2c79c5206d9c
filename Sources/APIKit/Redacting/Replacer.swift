import Foundation

/// The search for secrets: a function from a text to the text with its secrets replaced.
///
/// Each function returns `nil` for a text without a secret. An inner text, such as JSON in a string, is
/// unescaped, searched, and escaped again if it changed. The search runs on bytes, because all other
/// bytes must stay equal, and because a text can be cut or invalid.
struct Replacer {
    let redaction: Redaction
    let replacement: Redaction.Replacement
    /// Whether the text is the parameters of an `Authorization` field, such as `Digest`.
    var isCredentials = false
    /// The number of texts that contain the current one.
    var depth = 0

    func secrecy(of name: String) -> Secrecy {
        let own = redaction.secrecy(of: name, isHeader: isCredentials)
        return isCredentials ? max(own, .possible) : own
    }

    /// A search of an inner text, up to a depth that no honest text reaches.
    var inner: Replacer? {
        guard depth < 5 else { return nil }
        var inner = self
        inner.depth += 1
        return inner
    }

    /// Replaces the secrets in a text of any kind.
    func text(_ text: [UInt8]) -> [UInt8]? {
        // A secret without a name is long, and a name has a mark after it.
        guard text.count >= 16 || text.contains(where: Self.marks.contains) else { return nil }
        return text[...].isJSON ? json(text) : plainText(text)
    }

    private static let marks = ByteSet("=:>@")

    /// Replaces a value if it is a secret, and otherwise the secrets in it.
    func value(_ text: [UInt8], named name: String, _ secrecy: Secrecy) -> [UInt8]? {
        if isField(name, text) { return header(name, text) }
        return isSecret(text, secrecy) ? secret(text, named: name) : self.text(text)
    }

    /// Returns whether a text is the value of a header field with credentials, as in an echo or a log.
    func isField(_ name: String, _ text: [UInt8]) -> Bool {
        guard Self.isFieldName(name), redaction.secrecy(of: name, isHeader: true) == .certain else {
            return false
        }
        return name.lowercased().hasSuffix("cookie")
            ? text.contains(UInt8(ascii: "=")) : FieldReader.schemeLength(of: text) > 0
    }

    static func isFieldName(_ name: String) -> Bool {
        // Most names have other lengths.
        [6, 10, 13, 19].contains(name.utf8.count) && fields.contains(name.lowercased())
    }

    /// Returns whether a value with a name is a secret.
    func isSecret(_ text: [UInt8], _ secrecy: Secrecy) -> Bool {
        switch secrecy {
        case .none: return false
        case .possible: return TextShape(text).isRandom()
        case .digits, .certain:
            let shape = TextShape(text)
            return !text.isEmpty && !shape.isDate && !shape.isURL && !text[...].isJSON
                && !Self.noSecrets.contains(text.text.lowercased())
                // Searching for a sequence is slow in Swift.
                && !text.indices.contains { text.hasText("***", at: $0) } && !isMessage(text)
                && (secrecy == .certain || text.contains(where: ByteSet.digits.contains))
        case .added: return !text.isEmpty
        }
    }

    /// Returns whether a text with spaces is a message, for example of a form about a password.
    ///
    /// A passphrase has spaces too, so the words decide.
    private func isMessage(_ text: [UInt8]) -> Bool {
        let words = text.split(separator: UInt8(ascii: " "))
        return words.count > 1 && words.contains { Self.messages.contains($0.text.lowercased()) }
    }

    private static let fields: Set = [
        "authorization", "proxy-authorization", "cookie", "set-cookie",
    ]
    /// Literals, states, the names of types in schemas, and what other tools write in place of secrets.
    private static let noSecrets = Set(
        """
        true false null nil string string! required optional enabled disabled none yes no never n/a \
        read write invalid blank redacted [redacted] <redacted> [filtered]
        """.split(separator: " ").map(String.init))
    private static let messages: Set = [
        "must", "be", "too", "least", "required", "required.", "invalid", "invalid.", "cannot",
        "can't", "should", "characters", "characters.", "incorrect", "wrong", "not",
        "enter", "your", "please", "forgot",
    ]

    /// Replaces a secret, but not the scheme before it.
    func secret(_ text: [UInt8], named name: String) -> [UInt8] {
        let scheme = FieldReader.schemeLength(of: text)
        return text[..<scheme] + Array(replacement(text[scheme...].text, name).utf8)
    }

    /// Replaces the texts that the user has added, in their plain and escaped forms.
    func addedTexts(_ bytes: [UInt8]) -> [UInt8] {
        redaction.texts.reduce(bytes) { bytes, text in
            let plain = Array(text.utf8)
            let forms = Set([plain, plain.percentEncoded, plain.jsonEscaped])
            return forms.filter(bytes.contains).reduce(bytes) {
                $0.replacing($1, with: replacement(text, "an added text").utf8)
            }
        }
    }
}

extension Replacer {
    /// Replaces the secrets in the value of a header field.
    func header(_ name: String, _ value: [UInt8]) -> [UInt8]? {
        let secrecy = redaction.secrecy(of: name, isHeader: true)
        let field = secrecy == .certain ? name.lowercased() : ""
        switch field {
        case "cookie":
            let pairs = value.text.split(separator: ";", omittingEmptySubsequences: false)
            return Array(pairs.map(cookie).joined(separator: ";").utf8)
        case "set-cookie":
            let fields = FieldReader.setCookieFields(in: value.text)
            return Array(fields.map(cookie).joined(separator: ",").utf8)
        case "authorization", "proxy-authorization": return credentials(value, named: name)
        default: return self.value(value, named: name, secrecy)
        }
    }

    /// Returns a cookie with its value replaced, but not the attributes after it.
    private func cookie(_ field: Substring) -> String {
        let pair = field.prefix { $0 != ";" }
        let value = pair.contains("=") ? pair.drop { $0 != "=" }.dropFirst() : pair
        guard !value.allSatisfy(\.isWhitespace) else { return String(field) }
        let name = pair[..<value.startIndex].dropLast().trimmingCharacters(in: .whitespaces)
        let new = replacement(value.utf8.percentDecoded().text, "cookie \(name)")
        return pair[..<value.startIndex] + Array(new.utf8).percentEncoded.text
            + field[value.endIndex...]
    }

    /// Replaces the credentials after their scheme, or the secrets in their parameters.
    private func credentials(_ value: [UInt8], named name: String) -> [UInt8]? {
        let (start, areParameters) = FieldReader.credentials(in: value)
        guard start < value.count else { return nil }
        var search = self
        search.isCredentials = true
        let rest = value[start...]
        return areParameters
            ? search.plainText(Array(rest)).map { value[..<start] + $0 }
            : value[..<start] + Array(replacement(rest.text, name).utf8)
    }

    /// Replaces the secrets in a body, if it is text or has parts.
    func body(_ body: [UInt8], contentType: String?) -> [UInt8]? {
        if let reader = MultipartReader(body, contentType: contentType ?? "") {
            var result = ReplacedText(body)
            // Text outside of the parts has no meaning, but is shown too.
            let start: MultipartReader.Part = (nil, 0..<reader.range.lowerBound)
            let end: MultipartReader.Part = (nil, reader.range.upperBound..<body.count)
            for (fields, content) in [start] + reader.parts + [end] {
                let text = Array(body[content])
                let parameters = FieldReader.parameters(of: fields?["content-disposition"] ?? "")
                let isFile = parameters.keys.contains { $0.hasPrefix("filename") }
                let new =
                    if let name = parameters["name"], !isFile {
                        value(text, named: name, secrecy(of: name))
                    } else {
                        inner?.body(text, contentType: fields?["content-type"])
                    }
                if let new { result.replace(content, with: new) }
            }
            return result.bytes
        }
        // Text in another charset can be invalid UTF-8.
        let isText = contentType != nil && FieldReader.isText(contentType)
        guard !body.contains(0), isText || String(bytes: body, encoding: .utf8) != nil else {
            return nil
        }
        let isForm = contentType?.lowercased().contains("x-www-form-urlencoded") == true
        return isForm ? plainText(body, isForm: true) : text(body)
    }
}
