/// The name of a value, split into the words that decide whether the value is a secret.
///
/// A word ends before a character that is neither a letter nor a digit, between letters and digits,
/// and before a capital letter that starts a word. `X-API-Key2`, `xApiKey2` and `x_api_key_2` have
/// the same words.
struct SecretName {
    private let words: [String]

    init(_ name: some StringProtocol) {
        // Scalars, because a letter and a combining mark after it form one `Character`.
        let scalars = Array(name.unicodeScalars)
        var words: [String] = []
        var previous: Unicode.Scalar?
        for (index, scalar) in scalars.enumerated() {
            guard scalar.isLetter || scalar.isDigit else {
                previous = nil
                continue
            }
            let next = scalars.indices.contains(index + 1) ? scalars[index + 1] : nil
            if let previous, !scalar.startsWord(after: previous, before: next) {
                words[words.count - 1].unicodeScalars.append(scalar)
            } else {
                words.append(String(scalar))
            }
            previous = scalar
        }
        self.words = words.map { $0.lowercased() }
    }

    /// Returns the parts of a text that can be names: letters, digits, `_` and `-`.
    static func names(in text: String) -> [Substring] {
        text.unicodeScalars
            .split { !$0.isLetter && !$0.isDigit && $0 != "_" && $0 != "-" }
            .map(Substring.init)
    }

    /// The words of the name without separators, for comparison with the names that a user adds.
    var joined: String { words.joined() }

    /// Whether a value of this name is a secret.
    ///
    /// The last word names the kind of value: a `token_type` is a type.
    var isSecret: Bool {
        let words = words.filter { $0.unicodeScalars.first?.isDigit == false }
        guard let last = words.last, !Self.descriptions.contains(last) else { return false }
        let before = words.dropLast().last ?? ""
        guard Self.harmless[last]?.contains(before) != true else { return false }
        return Self.lastWords.contains(last)
            || last == "code" && Self.wordsBeforeCode.contains(before)
            || words.contains(where: Self.isSecret)
            || Self.compounds.contains(where: joined.hasPart)
    }

    private static func isSecret(_ word: String) -> Bool {
        secretWords.contains(word)
            || stems.contains(where: word.hasPart) && !lookalikes.contains(word)
    }

    /// Stems that mark a secret in any word, as in `accesstoken` and `passwords`.
    private static let stems = [
        "token", "secret", "password", "passwd", "passphrase", "passcode", "signature",
        "credential",
    ]
    /// Words that contain one of these stems but do not mark a secret.
    private static let lookalikes: Set = [
        "tokenize", "tokenized", "tokenizer", "tokenization", "secretary", "secretaries",
        "secretariat",
    ]
    /// Words that mark a secret anywhere in a name.
    private static let secretWords: Set = [
        "assertion", "authorization", "csrf", "cvc", "cvv", "hmac", "jwt", "otp", "pwd", "saml",
        "totp", "verifier", "xsrf",
    ]
    /// Words that mark a secret at the end of a name.
    private static let lastWords: Set = [
        "auth", "authentication", "bearer", "cookie", "cookies", "key", "oauth", "pass", "pin",
        "session", "sid", "sig",
    ]
    /// Pairs of words that mark a secret, with or without a separator.
    private static let compounds = [
        "accesskey", "apikey", "authcode", "authkey", "privatekey", "secretkey", "sessid",
        "sessionid", "sessionkey",
    ]
    /// Words that mark a secret before a final `code`.
    private static let wordsBeforeCode: Set = [
        "access", "auth", "backup", "confirmation", "device", "login", "mfa", "pass", "pin",
        "recovery", "security", "sms", "verification",
    ]
    /// For each last word, the words before it that make it harmless.
    private static let harmless: [String: Set<String>] = [
        "credentials": ["allow", "include", "with"],
        "key": [
            "cache", "foreign", "idempotency", "object", "partition", "primary", "public", "row",
            "socket", "sort", "surrogate", "translation", "websocket",
        ],
        "tokens": [
            "cached", "completion", "input", "limit", "max", "min", "output", "prompt",
            "reasoning", "remaining", "total", "used",
        ],
    ]
    /// Last words that describe a secret, as in `token_count`.
    private static let descriptions: Set = [
        "algorithm", "at", "count", "enabled", "endpoint", "expiration", "expired", "expires",
        "expiry", "format", "in", "length", "limit", "method", "name", "policy", "provider",
        "required", "size", "status", "strength", "ttl", "type", "until", "uri", "url", "valid",
        "version",
    ]
}

extension String {
    /// Returns whether the text contains the bytes of another one.
    ///
    /// `contains(_:)` builds a table of the other text, which takes longer than the search of a word.
    fileprivate func hasPart(_ part: String) -> Bool {
        utf8.indices.dropLast(part.utf8.count - 1).contains {
            utf8[$0...].starts(with: part.utf8)
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isLetter: Bool { properties.isAlphabetic }
    fileprivate var isDigit: Bool { properties.numericType != nil }

    fileprivate func startsWord(after previous: Unicode.Scalar, before next: Unicode.Scalar?)
        -> Bool
    {
        guard isDigit == previous.isDigit else { return true }
        // The last of several capitals starts a word if a small letter follows it.
        return properties.isUppercase
            && (!previous.properties.isUppercase || next?.properties.isLowercase == true)
    }
}
