import Foundation

/// A rule that selects the secrets to mask in logs, errors, commands and recordings.
///
/// The name of a value and its text decide whether it is a secret. `***` replaces it in a log.
///
/// ```swift
/// let redactions: [Redaction] = [
///     .secrets,  // what is a secret by itself
///     .secrets.adding(headers: ["X-Tenant"], values: ["email"]),  // and by these names
///     .secrets.adding(texts: [token]),  // and this text, anywhere
///     .secrets.excluding(values: ["page_token"]),  // except values with this name
///     .nothing,  // no value
/// ]
/// ```
public struct Redaction: Sendable {
    let hidesSecrets: Bool
    private var headers: Set<String> = []
    private var names: Set<String> = []
    private var excluded: Set<String> = []
    /// The added texts, longest first.
    package private(set) var texts: [String] = []

    /// The rule that masks credentials, and all values whose name or text marks them as secrets.
    ///
    /// - The credentials of HTTP: `Authorization`, cookies, and the user and password of a URL.
    /// - Texts and numbers whose name means only secrets, in any spelling: passwords, secrets, API
    ///   keys, access tokens, signatures, one-time codes.
    /// - Texts that look random, if their name may mean a secret: `token`, `key`, `code`,
    ///   `session`. `?code=EUR` is not masked.
    /// - JSON Web Tokens, private keys, payment cards, account numbers (IBAN), and the keys of many
    ///   services with a published prefix, wherever they occur.
    ///
    /// Other random texts are not masked, such as identifiers in the path of a URL.
    public static let secrets = Redaction(hidesSecrets: true)

    /// The rule that masks nothing.
    public static let nothing = Redaction(hidesSecrets: false)

    /// Returns a rule that also masks the values with the given names, and the given texts.
    ///
    /// - Parameters:
    ///   - headers: The names of headers, in any case.
    ///   - values: The names of query items, path parameters, form fields and JSON members, in any
    ///     case. `user_id` also matches `userId` and `user-id`.
    ///   - texts: Secrets, such as the values of environment variables. Empty texts are ignored.
    /// - Returns: The stricter rule.
    public func adding(
        headers: [String] = [], values: [String] = [], texts: [String] = []
    ) -> Redaction {
        var redaction = self
        redaction.headers.formUnion(headers.map { $0.lowercased() })
        redaction.names.formUnion(values.map { SecretName($0).joined })
        redaction.texts = Set(self.texts + texts.filter { !$0.isEmpty })
            .sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
        return redaction
    }

    /// Returns a rule in which the given names alone do not make a value a secret.
    ///
    /// A value with a recognizable format, such as a JSON Web Token, is masked under any name.
    ///
    /// - Parameter values: The names of header fields, query items, form fields and JSON members, in
    ///   any case. `page_token` also matches `pageToken`.
    /// - Returns: The weaker rule.
    public func excluding(values: [String]) -> Redaction {
        var redaction = self
        redaction.excluded.formUnion(values.map { SecretName($0).joined })
        return redaction
    }

    /// Whether the rule masks anything.
    package var hidesAnything: Bool {
        hidesSecrets || !headers.isEmpty || !names.isEmpty || !texts.isEmpty
    }

    /// Returns the rule for values or header fields with a name.
    func rule(for name: String, isHeader: Bool = false) -> SecretRule {
        let words = SecretName(name)
        var rule = hidesSecrets ? SecretRule(words, isHeader: isHeader) : .none
        rule.isAdded =
            isHeader
            ? headers.contains(name.lowercased())
            : !names.isEmpty && names.contains(words.joined)
        rule.isExcluded = !excluded.isEmpty && excluded.contains(words.joined)
        return rule
    }
}

extension Redaction {
    /// The text that replaces a secret.
    package static let mask = "***"

    /// Returns the mask for a secret value, after the scheme if the value has one.
    package static func masked(_ value: String) -> String {
        (["Bearer ", "Basic "].first(where: value.hasPrefix) ?? "") + mask
    }

    /// Returns whether the name of a header alone makes its value a secret.
    package static func hidesHeader(_ name: String) -> Bool {
        secrets.rule(for: name, isHeader: true).isSecret
    }

    /// Returns whether values of this name are often secrets.
    ///
    /// Use it for a description that has no value, or only a part of it.
    package static func hidesValue(named name: String) -> Bool {
        let rule = secrets.rule(for: name)
        // Members such as `keys` and `codes` contain other values.
        let isContainer = rule.isPlural && !name.lowercased().hasSuffix("tokens")
        return rule.isSecret || rule.mayHide && !rule.isWeak && !rule.isCode && !isContainer
    }

    /// Returns the text of a URL with its user, password and secret values masked.
    package static func text(of url: URL) -> String { secrets.text(of: url) }
}

extension Redaction {
    /// Returns the text of a URL with its user, password and secret values masked.
    func text(of url: URL) -> String { text(ofValue: url.absoluteString) }

    /// Returns the value of a header with its secrets masked.
    func text(ofHeader name: String, _ value: String) -> String {
        value.mapText { $0.masking(SecretSearch(self).secrets(inHeader: name, $0)) }
    }

    /// Returns a text with its secrets masked.
    package func text(ofValue text: String) -> String {
        text.mapText { $0.masking(SecretSearch(self).secrets(inText: $0)) }
    }

    /// Returns a body with its secrets masked.
    ///
    /// A body that is not text is unchanged, unless it is multipart.
    func body(_ body: Data, contentType: String?, ofRequest isRequest: Bool = false) -> Data {
        let search = SecretSearch(self, inRequestBody: isRequest)
        return body.mapText { $0.masking(search.secrets(inBody: $0, contentType: contentType)) }
    }

    /// Returns the start of a text on one line, with its secrets masked.
    ///
    /// Use it in descriptions, because a text from a server can have any length.
    static func excerpt(of text: String, upTo limit: Int) -> String {
        // Masking a long text is slow. The margin completes a secret at the limit.
        let start = String(text.unicodeScalars.prefix(16 * limit))
        return secrets.text(ofValue: start).onOneLine.shortened(to: limit)
    }
}

extension [UInt8] {
    /// Returns the bytes with a mask in place of each secret, or `nil` if there is none.
    fileprivate func masking(_ secrets: [FoundSecret]) -> [UInt8]? {
        substituting(secrets) { $0.isNumber ? "\"\(Redaction.mask)\"" : Redaction.mask }
    }

    /// Returns the bytes with a text in place of each secret, or `nil` if there is none.
    ///
    /// The secrets are in ascending order, and do not overlap.
    package func substituting(
        _ secrets: [FoundSecret], with text: (FoundSecret) -> String
    ) -> [UInt8]? {
        guard !secrets.isEmpty else { return nil }
        var (result, end) = ([UInt8](), 0)
        result.reserveCapacity(count)
        for secret in secrets {
            result += self[end..<secret.range.lowerBound]
            result += text(secret).utf8
            end = secret.range.upperBound
        }
        result += self[end...]
        return result
    }
}

// `print`, `dump` and `String(reflecting:)` show the children of a mirror. The default mirrors of
// types that hold requests and responses show URLs and header fields in full, so these types define
// their mirrors.

extension Redaction {
    /// Returns the method and the URL of a request with secrets masked.
    static func text(of request: URLRequest) -> String {
        "\(request.method) \(request.url.map(text(of:)) ?? "without a URL")"
    }

    /// Returns header fields with their secrets masked.
    package static func masked(_ headers: [String: String]) -> [String: String] {
        headers.reduce(into: [:]) { masked, field in
            masked[field.key] = secrets.text(ofHeader: field.key, field.value)
        }
    }
}

extension String {
    /// The text with each run of white space, line breaks and control characters as one space.
    ///
    /// Characters that set the direction of a text count as control characters, because they would
    /// change the order of the whole line.
    var onOneLine: String {
        // A fast path for one line of ASCII, because iterating over characters is slow.
        var previous = UInt8(ascii: " ")
        let isOneLine = utf8.allSatisfy { byte in
            defer { previous = byte }
            return (0x20..<0x7F).contains(byte) && (byte != 0x20 || previous != 0x20)
        }
        guard !isOneLine || previous == 0x20 else { return self }
        return split { character in
            character.isWhitespace
                || character.unicodeScalars.contains {
                    $0.properties.generalCategory == .control || $0.properties.isBidiControl
                }
        }
        .joined(separator: " ")
    }

    /// Returns the start of the text, with an ellipsis in place of the rest.
    ///
    /// The result has at most as many Unicode scalars as the limit.
    package func shortened(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        // Not characters, because one character can have any number of scalars.
        let start = unicodeScalars.prefix(limit)
        return start.endIndex == endIndex ? self : String(start.dropLast()) + "…"
    }
}

extension Data {
    /// Returns the first bytes up to a limit, without a partial UTF-8 character at the end.
    func prefixOfText(upTo limit: Int) -> Data {
        guard count > limit else { return self }
        var end = startIndex + limit
        while end > startIndex, self[end] & 0b1100_0000 == 0b1000_0000 { end -= 1 }
        return self[..<end]
    }
}
