import Foundation

/// The rule that decides whether a value is a secret: by its name, by its text, or by both.
///
/// | Names | Masked |
/// |---|---|
/// | that mean only secrets: `password`, `client_secret`, `apiKey` | texts and numbers |
/// | that may mean secrets: `token`, `key`, `code`, `session` | texts that look random |
/// | all others | only what ``KnownSecrets`` recognizes in any text |
///
/// A value inside a member of the first class is judged as in the second class.
package struct SecretRule: Sendable {
    enum Strength: Comparable { case none, possible, secret, password }

    private(set) var strength = Strength.none
    /// Whether a few digits are a secret, as in a PIN.
    private(set) var hidesDigits = false
    /// Whether the name is `code`, so that its digits are a secret in the body of a request.
    private(set) var isCode = false
    /// Whether identifiers and large data can have this name too.
    var isWeak = false
    /// Whether numbers with this name are counts.
    private(set) var isPlural = false
    /// Whether the user added the name, or excluded it.
    var isAdded = false
    var isExcluded = false

    /// The rule for a value without a name.
    static let none = SecretRule()

    var mayHide: Bool { (isAdded || strength > .none) && !isExcluded }
    var isSecret: Bool { (isAdded || strength >= .secret) && !isExcluded }

    /// The rule for values inside a member with this name, and for the items of its array.
    var nested: SecretRule {
        var rule = self
        rule.strength = min(strength, .possible)
        return rule
    }

    /// Returns whether a text is a secret.
    func hides(_ text: [UInt8], inRequestBody: Bool = false) -> Bool {
        guard mayHide, !text.isEmpty else { return false }
        if isAdded || strength == .password { return true }
        let shape = ValueShape(text)
        if strength == .secret {
            return !shape.isDate && !shape.isURL && !shape.isInterfaceText
        }
        if shape.isShortDigits { return hidesDigits || isCode && inRequestBody }
        return shape.isRandom && !(isWeak && shape.isIdentifier)
    }

    /// Returns whether a number is a secret.
    func hides(number: [UInt8], inRequestBody: Bool = false) -> Bool {
        guard mayHide, number.contains(where: ByteSet.digits.contains) else { return false }
        if isAdded || strength >= .secret { return isAdded || !isPlural }
        return ValueShape(number).isShortDigits && (hidesDigits || isCode && inRequestBody)
    }
}

extension SecretRule {
    /// Creates the rule for values with a name.
    ///
    /// In a header field, a name such as `X-Gitlab-Token` means only credentials.
    init(_ name: SecretName, isHeader: Bool = false) {
        let words = name.words.filter { $0.utf8.first.map(ByteSet.digits.contains) == false }
        guard let last = words.last, !Self.descriptions.contains(last) else { return }
        let before = words.dropLast().last ?? ""
        if Self.harmless[last]?.contains(before) == true { return }
        isPlural = last.hasSuffix("s") && !last.hasSuffix("ss")
        let joined = name.joined
        isCode = last == "code" || last == "codes"
        let isOneTime = words.contains(where: Self.digitWords.contains)
        hidesDigits =
            isOneTime
            || (isCode || last == "token") && words.contains(where: Self.wordsBeforeCode.contains)
        isWeak = Self.weakNames.contains(joined)
        if last == "id", !Self.isPart(Self.compounds, of: joined), joined != "id" {
            // Such as `secret_id`, which may identify a secret or be a secret.
            let isPossible = words.contains { Self.isPart(Self.secretStems, of: $0) }
            strength = isPossible ? .possible : .none
        } else if Self.isPart(Self.passwordStems, of: joined) || Self.passwordWords.contains(last) {
            strength = .password
        } else if isPart(ofAny: words, joined: joined) || hidesDigits && last != "pin"
            || isHeader && Self.headerWords.contains(last)
        {
            strength = .secret
        } else if Self.possibleWords.contains(last) || isWeak || isOneTime
            || words.contains(where: { $0.hasPart("token") || $0.hasPart("credential") })
                && !words.contains(where: Self.isLookalike)
        {
            strength = .possible
        }
    }

    private func isPart(ofAny words: [String], joined: String) -> Bool {
        words.contains(where: Self.secretWords.contains)
            || words.contains { word in
                Self.isPart(Self.secretStems, of: word) && !Self.isLookalike(word)
            }
            || Self.isPart(Self.compounds, of: joined)
    }

    private static func isPart(_ parts: [String], of text: String) -> Bool {
        parts.contains(where: text.hasPart)
    }

    private static func isLookalike(_ word: String) -> Bool {
        ["tokeniz", "secretar"].contains(where: word.hasPrefix)
    }

    private static let passwordStems = ["password", "passwd", "passphrase", "passcode"]
    private static let passwordWords: Set = ["pass", "pwd", "passwort", "pw"]
    /// Parts of words that mean only secrets, as in `clientsecrets`.
    private static let secretStems = ["secret", "signature", "csrf", "xsrf"]
    private static let secretWords: Set = [
        "assertion", "assertions", "authorization", "hmac", "jwt", "saml", "verifier",
        "authenticity", "mnemonic",
    ]
    /// Pairs of words that mean only secrets, with or without a separator.
    private static let compounds = [
        "accesskey", "accesstoken", "accountkey", "apikey", "apitoken", "applicationkey", "appkey",
        "authcode", "authenticationtoken", "authkey", "authtoken", "bearertoken", "devicecode",
        "encryptionkey", "functionskey", "idtoken", "licensekey", "masterkey", "privatekey",
        "refreshtoken", "secretkey", "securitytoken", "sessid", "sessionid", "sessionkey",
        "sessiontoken", "sharedkey", "signingkey", "storagekey", "subscriptionkey", "samlresponse",
        "hmackey", "oauthtoken", "connectionstring", "seedphrase",
    ]
    private static let digitWords: Set = [
        "pin", "cvc", "cvv", "cvn", "otp", "totp", "onetimecode", "tan",
    ]
    /// Words that mean only secrets together with `code`.
    private static let wordsBeforeCode: Set = [
        "access", "activation", "auth", "authorization", "backup", "confirmation", "device",
        "factor",
        "invite", "login", "mfa", "otp", "pass", "pin", "recovery", "reset", "security", "sms",
        "time", "verification",
    ]
    /// Last words of header fields that mean only credentials.
    private static let headerWords: Set = [
        "auth", "authentication", "cookie", "cookie2", "key", "session", "sid", "sig", "token",
        "credential", "credentials",
    ]
    private static let possibleWords: Set = [
        "access", "auth", "authentication", "bearer", "code", "codes", "cookie", "cookies",
        "credential", "credentials", "key", "keys", "nonce", "oauth", "refresh", "session",
        "sessions", "sid", "sig", "state", "ticket", "token", "tokens",
    ]
    /// Names that ordinary identifiers and contents have too.
    private static let weakNames: Set = ["id", "data", "note", "notes"]
    /// For each last word, the words before it that make it harmless.
    private static let harmless: [String: Set<String>] = [
        "credentials": ["allow", "include", "with"],
        "code": ["country", "currency", "error", "language", "postal", "status", "zip"],
        "key": [
            "cache", "foreign", "idempotency", "object", "partition", "primary", "public", "row",
            "socket", "sort", "surrogate", "translation", "websocket",
        ],
        "keys": ["public", "surrogate"],
    ]
    /// Last words that describe a secret, as in `token_count`.
    private static let descriptions: Set = [
        "age", "algorithm", "at", "attempts", "changed", "count", "counts", "details", "enabled",
        "endpoint", "error", "errors",
        "expiration", "expired", "expires", "expiry", "field", "format", "hint", "in", "label",
        "length", "limit", "message", "method", "methods", "name", "param", "path", "placeholder",
        "policy",
        "present", "provider", "required", "rule", "rules", "scheme", "scope", "scopes", "size",
        "status", "strength", "supported", "text", "timeout", "title", "ttl", "type", "types",
        "until", "updated", "uri",
        "url", "urls", "usage", "valid", "validity", "version",
    ]
}

extension String {
    /// Returns whether the text contains the bytes of another text.
    ///
    /// `contains(_:)` builds a table of the other text, which takes longer than searching a word.
    fileprivate func hasPart(_ part: String) -> Bool {
        let count = utf8.count - part.utf8.count
        guard count >= 0, let first = part.utf8.first else { return false }
        return utf8.indices.prefix(count + 1).contains {
            utf8[$0] == first && utf8[$0...].starts(with: part.utf8)
        }
    }
}

/// The name of a value, split into the words that decide whether the value is a secret.
///
/// A word ends before a character that is neither a letter nor a digit, between letters and digits,
/// and before a capital letter that starts a word. `X-API-Key2`, `xApiKey2` and `x_api_key_2` have
/// the same words.
struct SecretName {
    let words: [String]

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

    /// The words of the name without separators, for comparison with the names that a user adds.
    var joined: String { words.joined() }
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
