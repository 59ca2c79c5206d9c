import Foundation

/// The one search for secrets, in header fields, URLs, forms, JSON and any other text.
///
/// It parses only formats in which a name may not be beside its value: header fields, multipart
/// bodies and JSON. All else is text with names and values (`SecretSearch+Text.swift`). The search
/// runs on bytes, because decoding and encoding would change the order, white space and number
/// formats, and because a text may be truncated or invalid.
package struct SecretSearch {
    let redaction: Redaction
    /// Whether the text is in the body of a request, where digits of a `code` are a secret.
    private let isRequestBody: Bool
    /// Whether the text is a script, whose values without quotes are code.
    var isScript = false
    /// The number of layers of escapes and values that contain the current text.
    private(set) var depth = 0
    private let rules = Rules()

    package init(_ redaction: Redaction, inRequestBody isRequestBody: Bool = false) {
        self.redaction = redaction
        self.isRequestBody = isRequestBody
    }

    /// A cache of the rules by name, because names repeat in a text.
    private final class Rules {
        var rules: [String: SecretRule] = [:]
    }

    func rule(for name: String) -> SecretRule {
        if let known = rules.rules[name] { return known }
        let rule = redaction.rule(for: name)
        rules.rules[name] = rule
        return rule
    }

    func nested() -> SecretSearch? {
        guard depth < Self.maximalDepth else { return nil }
        var search = self
        search.depth += 1
        return search
    }

    /// The maximum number of layers, because a hostile text could exhaust the time and the stack.
    private static let maximalDepth = 6
}

extension SecretSearch {
    /// Finds the secrets in a body.
    package func secrets(inBody body: [UInt8], contentType: String?) -> [FoundSecret] {
        guard redaction.hidesAnything else { return [] }
        let type = contentType?.lowercased() ?? ""
        let all = 0..<body.count
        if type.hasPrefix("multipart/"),
            let boundary = FieldReader.parameters(of: contentType ?? "")["boundary"],
            let found = secrets(inParts: all, of: body, boundary: boundary)
        {
            return found.withoutOverlaps
        }
        // Text in another charset may not be valid UTF-8.
        let isText = body.isText(all) || Self.isText(type) && !body.contains(0)
        guard isText else { return [] }
        var search = self
        search.isScript = type.contains("javascript")
        let isForm = type.hasPrefix("application/x-www-form-urlencoded")
        return search.secrets(in: all, of: body, plusIsSpace: isForm).withoutOverlaps
    }

    /// Finds the secrets in JSON or any other text, such as a URL.
    package func secrets(inText text: [UInt8]) -> [FoundSecret] {
        guard redaction.hidesAnything else { return [] }
        return secrets(in: 0..<text.count, of: text).withoutOverlaps
    }

    func secrets(
        in range: Range<Int>, of bytes: [UInt8], plusIsSpace: Bool = false
    ) -> [FoundSecret] {
        var found = addedTexts(in: range, of: bytes)
        if redaction.hidesSecrets {
            found += KnownSecrets(range: range, bytes: bytes).matches
        }
        if let json = secrets(inJSON: range, of: bytes) { return found + json }
        found += secrets(inNamedValuesOf: range, of: bytes, plusIsSpace: plusIsSpace)
        return found + secrets(inEscapesOf: range, of: bytes)
    }

    /// Finds the secrets in a text whose escapes hide names and separators.
    private func secrets(inEscapesOf range: Range<Int>, of bytes: [UInt8]) -> [FoundSecret] {
        guard let search = nested() else { return [] }
        return UnescapedText.layers(of: range, of: bytes).flatMap { plain in
            search.secrets(in: 0..<plain.bytes.count, of: plain.bytes)
                .map { $0.moved(to: plain.source(of: $0.range)) }
        }
    }

    /// Finds the texts that the user has added, even if the redaction hides no other secrets.
    private func addedTexts(in range: Range<Int>, of bytes: [UInt8]) -> [FoundSecret] {
        redaction.texts.flatMap { text -> [FoundSecret] in
            let secret = Array(text.utf8)
            let first = ByteSet { $0 == secret[0] }
            var (found, index) = ([FoundSecret](), range.lowerBound)
            while true {
                index = bytes.index(of: first, in: index..<range.upperBound)
                let end = index + secret.count
                guard end <= range.upperBound else { return found }
                guard bytes[index..<end].elementsEqual(secret) else {
                    index += 1
                    continue
                }
                found.append(FoundSecret(index..<end, secret, name: "an added text", isKnown: true))
                index = end
            }
        }
    }

    /// Returns the secret in a value, after the scheme of credentials, if the rule hides it.
    ///
    /// In a URL, only the parts that look random are secrets.
    func secrets(
        inValue range: Range<Int>, of bytes: [UInt8], plain: [UInt8]? = nil, rule: SecretRule,
        name: String, isNumber: Bool = false
    ) -> [FoundSecret] {
        guard rule.mayHide, !range.isEmpty else { return [] }
        let text = plain ?? Array(bytes[range])
        if isNumber {
            guard rule.hides(number: text, inRequestBody: isRequestBody) else { return [] }
            return [FoundSecret(range, text, name: name, isNumber: true)]
        }
        // A text of several values is judged value by value.
        if rule.strength < .password, !rule.isAdded, plain == nil {
            if bytes.hasText("{\"", at: range.lowerBound),
                let json = secrets(inJSON: range, of: bytes, below: rule)
            {
                return json
            }
            if bytes.hasText("-----BEGIN", at: range.lowerBound) {
                return KnownSecrets(range: range, bytes: bytes).matches
            }
        }
        let scheme = text.credentialsScheme(in: 0..<text.count)
        let rest = Array(text.dropFirst(scheme))
        guard rule.hides(rest, inRequestBody: isRequestBody) else {
            return !rule.isAdded && ValueShape(rest).isURL
                ? randomParts(of: range, of: bytes, name: name) : []
        }
        // The scheme has no escapes.
        return [FoundSecret((range.lowerBound + scheme)..<range.upperBound, rest, name: name)]
    }

    private func randomParts(of range: Range<Int>, of bytes: [UInt8], name: String) -> [FoundSecret]
    {
        bytes.ranges(in: range, separatedBy: Self.partsOfURL).compactMap { part in
            let plain = UnescapedText(percentEncoded: part, of: bytes).bytes
            guard ValueShape(plain).isRandom else { return nil }
            return FoundSecret(part, plain, name: name)
        }
    }

    /// Returns whether bodies of a media type are text.
    private static func isText(_ type: String) -> Bool {
        let name = type.prefix { $0 != ";" && $0 != " " }
        return name.hasPrefix("text/")
            || ["json", "xml", "javascript", "x-www-form-urlencoded"].contains(
                where: name.hasSuffix)
    }

    private static let partsOfURL = ByteSet("/?#&=")
}

/// A secret in a text.
package struct FoundSecret {
    /// The place of the secret in the text.
    package var range: Range<Int>
    /// The secret without escapes.
    package let text: String
    /// The name of the value, or the kind of secret.
    package let name: String
    /// Whether the secret is a number in JSON.
    package var isNumber = false
    /// Whether the text itself, and not its name, makes it a secret.
    package var isKnown = false

    package init(
        _ range: Range<Int>, _ text: some Collection<UInt8>, name: String, isNumber: Bool = false,
        isKnown: Bool = false
    ) {
        self.range = range
        self.text = String(decoding: text, as: UTF8.self)
        self.name = name
        self.isNumber = isNumber
        self.isKnown = isKnown
    }
}

extension FoundSecret {
    /// Returns the secret at its place in another text.
    package func moved(to range: Range<Int>) -> FoundSecret {
        var secret = self
        secret.range = range
        return secret
    }

    /// Returns the secret in a text that contains its text at an offset.
    func moved(by offset: Int) -> FoundSecret {
        moved(to: (range.lowerBound + offset)..<(range.upperBound + offset))
    }
}

extension [FoundSecret] {
    /// The secrets in ascending order, in which the longest of overlapping secrets covers them all.
    package var withoutOverlaps: [FoundSecret] {
        guard count > 1 else { return self }
        let sorted = sorted {
            ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
        }
        return sorted.reduce(into: []) { result, next in
            guard let last = result.last, next.range.lowerBound < last.range.upperBound else {
                return result.append(next)
            }
            let end = Swift.max(last.range.upperBound, next.range.upperBound)
            let longest = next.range.count > last.range.count ? next : last
            result[result.count - 1] = longest.moved(to: last.range.lowerBound..<end)
        }
    }
}
