/// What a name says about its value.
enum Secrecy: Comparable {
    case none
    /// It is a secret if it looks random.
    case possible
    /// It is a secret if it has a digit.
    case digits
    /// It is a secret, however short.
    case certain
    /// The user has added the name.
    case added

    /// What the names of values and those of header fields say.
    ///
    /// Names repeat, and to judge one takes a while.
    private static let known = Locked<[[String: Secrecy]]>([[:], [:]])

    /// Judges a name by its words, and more strictly in a header field.
    init(of name: String, isHeader: Bool) {
        let kind = isHeader ? 1 : 0
        if let known = Self.known.withLock({ $0[kind][name] }) {
            self = known
            return
        }
        self.init(judging: name, isHeader: isHeader)
        // A server can send names of any number and length.
        guard name.utf8.count <= 64 else { return }
        Self.known.withLock { [self] in
            if $0[kind].count > 4096 { $0[kind] = [:] }
            $0[kind][name] = self
        }
    }

    private init(judging name: String, isHeader: Bool) {
        // Beside other words, `pass` is harmless, as in `boarding_pass`.
        let isPass = name.lowercased() == "pass"
        let name = SecretName(name)
        func has(_ names: [SecretName]) -> Bool { names.contains(where: name.contains) }
        let own: Secrecy =
            isPass || has(Self.certainNames)
            ? .certain
            : has(Self.numberNames) ? .digits : has(Self.credentialNames) ? .possible : .none
        if Self.descriptions.contains(name.lastWord) || has(Self.harmlessNames) {
            self = .none
        } else if own == .none {
            self = has(Self.ambiguousNames) ? .possible : .none
        } else {
            // A name such as `secret_id` can identify a secret or be one.
            self = isHeader ? .certain : name.lastWord == "id" ? .possible : own
        }
    }

    /// Names of which even a short value is a secret.
    private static let certainNames = """
        password passwd passcode passphrase pwd pw secret apikey accesstoken recoverycode backupcode
        """.words
    /// Names of secrets with digits: `{"pin": "red"}` is no secret.
    private static let numberNames = "pin otp cvc cvv mfacode".words
    /// Names of secrets that look random.
    private static let credentialNames = """
        token tok key session sid auth authorization authentication oauth bearer credential cred cookie
        sig signature hmac jwt csrf xsrf saml
        """.words
    /// Names of secrets that look random, which mean other things in a header field.
    private static let ambiguousNames = "code pass ticket access refresh".words
    /// Names with a word of the lists above that are no secrets.
    private static let harmlessNames = """
        publickey idempotencykey pagetoken pincode cachekey surrogatekey websocketkey ratelimit
        accesscontrol
        """.words
    /// Last words of names that only describe a secret.
    private static let descriptions: Set<Substring> = Set(
        """
        changed count enabled length name policy required version check left at in type method hint
        label expiry expiration expire timestamp timeout ttl limit algorithm email user
        color colour icon image style title shape size position height width format pattern regex
        rule requirement strength status updated
        """.split(whereSeparator: \.isWhitespace))
}

extension String {
    fileprivate var words: [SecretName] {
        split(whereSeparator: \.isWhitespace).map { SecretName(String($0)) }
    }
}

/// The words of a name in lower case, without digits and without the `s` of a plural.
///
/// A word ends before any byte that is not an ASCII letter, and before a capital letter that starts a
/// word: `X-API-Keys2`, `xApiKey` and `x_api_key` have the same words.
private struct SecretName {
    private var letters: [UInt8] = []
    /// The indices at which words start, and the end.
    private var bounds = [0]
    /// The set of the letters, which rules out most entries at once.
    private var set: UInt32 = 0

    init(_ name: String) {
        func isSmall(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte }
        func isCapital(_ byte: UInt8) -> Bool { 0x41...0x5A ~= byte }
        let bytes = [0] + Array(name.utf8) + [0, 0]
        for index in 1..<(bytes.count - 1) {
            let (last, byte, next) = (bytes[index - 1], bytes[index], bytes[index + 1])
            let isLetter = isSmall(byte) || isCapital(byte)
            let isStart = isCapital(byte) && (!isCapital(last) || isSmall(next))
            let count = letters.count - bounds[bounds.count - 1]
            if !isLetter || isStart, count > 0 {
                let isPlural = count > 3 && letters.last == UInt8(ascii: "s")
                if isPlural, !"su".utf8.contains(letters[letters.count - 2]) {
                    letters.removeLast()
                }
                bounds.append(letters.count)
            }
            if isLetter { letters.append(byte | 0x20) }
        }
        set = letters.reduce(0) { $0 | 1 << UInt32($1 & 0x1F) }
    }

    var lastWord: Substring {
        Substring(decoding: letters[(bounds.dropLast().last ?? 0)...], as: UTF8.self)
    }

    /// Returns whether the name contains an entry of a list: as words, at its end, or anywhere if the
    /// entry has seven letters or more.
    func contains(_ entry: SecretName) -> Bool {
        guard entry.set & ~set == 0 else { return false }
        let count = entry.letters.count
        return (0..<max(0, letters.count - count + 1)).contains { start in
            let end = start + count
            return letters[start] == entry.letters[0] && letters[start..<end] == entry.letters[...]
                && (count >= 7 || end == letters.count
                    || bounds.contains(start) && bounds.contains(end))
        }
    }
}
