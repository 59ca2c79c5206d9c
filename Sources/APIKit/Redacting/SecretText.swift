import Foundation

/// What a text looks like, regardless of its name.
package struct TextShape {
    private let bytes: [UInt8]

    package init(_ text: String) { self.init(Array(text.utf8)) }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether the text looks random: longer and more mixed than words, dates and numbers.
    ///
    /// Runs of one kind of character are short, or five consonants follow each other. A capital
    /// belongs to the small letters after it, and marks do not end a run.
    ///
    /// - Parameter count: The smallest number of letters and digits.
    /// - Returns: `true` for a random text.
    package func isRandom(from count: Int = 12) -> Bool {
        guard bytes.count >= count, !isDate, !isURL else { return false }
        // The start is enough to judge a long text.
        let start = bytes.prefix(128)
        var (letters, digits, runs, consonants, longest) = (0, 0, 0, 0, 0)
        var previous = UInt8(0)
        for byte in start {
            let (isLetter, isDigit) = (0x41...0x5A ~= byte & 0xDF, ByteSet.digits.contains(byte))
            guard isLetter || isDigit || Self.marks.contains(byte) else { return false }
            letters += isLetter ? 1 : 0
            digits += isDigit ? 1 : 0
            consonants = isLetter && !Self.vowels.contains(byte) ? consonants + 1 : 0
            longest = max(longest, consonants)
            // The kind is 0x20 for a digit, 0x40 for a capital and 0x60 for a small letter.
            guard isLetter || isDigit, byte & 0x60 != previous else { continue }
            runs += previous == 0x40 && byte & 0x60 == 0x60 ? 0 : 1
            previous = byte & 0x60
        }
        let size = letters + digits
        guard letters > 0, size >= count else { return false }
        return isUUID || size < 4 * runs || longest >= 5 && (digits > 0 || size == start.count)
    }

    package var isUUID: Bool { bytes.count == 36 && UUID(uuidString: bytes.text) != nil }

    /// Whether the text starts with an ISO 8601 date, an HTTP date or a time.
    package var isDate: Bool {
        let start = bytes.prefix(10).map { ByteSet.digits.contains($0) ? UInt8(ascii: "0") : $0 }
        return start.elementsEqual("0000-00-00".utf8) || start.starts(with: "00:00:00".utf8)
            || bytes.hasText(", ", at: 3)
    }

    /// Whether the text starts with the scheme of a URL.
    var isURL: Bool { (0...13).contains { bytes.hasText("://", at: $0) } }

    private static let marks = ByteSet("_.~+/=:$%|!,-")
    private static let vowels = ByteSet("aeiouyAEIOUY")
}

/// The secrets that are known by themselves, in any text and under any name.
enum KnownSecret {
    /// Returns the place and the kind of the secret at the start of a word, at `-----` or at `//`.
    static func place(at start: Int, of bytes: [UInt8]) -> (range: Range<Int>, kind: String)? {
        if bytes.hasText("-----BEGIN ", at: start) { return privateKey(at: start, of: bytes) }
        if bytes.hasText("//", at: start) {
            // The user and the password in the authority of a URL.
            let user = bytes.prefixOfAuthority(at: start + 2, upTo: UInt8(ascii: "@"))
            return user.isEmpty ? nil : (user, "user of a URL")
        }
        let end = bytes.index(of: word.inverted, in: start..<bytes.count)
        let text = bytes[start..<end]
        // A token of RFC 7519 or RFC 7516 starts with a JSON object in base64url.
        if text.count >= 20, text.starts(with: "eyJ".utf8),
            text.dropFirst(10).dropLast().contains(UInt8(ascii: "."))
        {
            return (start..<end, "JWT")
        }
        if text.count >= 19, let prefix = prefixes.first(where: { text.starts(with: $0.utf8) }),
            text.count >= prefix.utf8.count + 16, text.contains(where: ByteSet.digits.contains)
        {
            return (start..<end, prefix)
        }
        // The scheme of an Authorization, and its value.
        guard bytes.hasText(" ", at: end) else { return nil }
        let value = (end + 1)..<bytes.index(of: credentials.inverted, in: (end + 1)..<bytes.count)
        let isSecret =
            value.count >= 12 && FieldReader.schemeLength(of: bytes, from: start) > 0
            && TextShape(Array(bytes[value])).isRandom()
        return isSecret ? (value, "Authorization") : nil
    }

    /// Finds the part between the first and the last line of a private key in PEM (RFC 7468).
    private static func privateKey(at start: Int, of bytes: [UInt8]) -> (Range<Int>, String)? {
        let label = (start + 11)..<min(start + 64, bytes.count)
        let head = bytes.index(of: hyphen, in: label)
        guard bytes[label.lowerBound..<head].contains("PRIVATE KEY".utf8) else { return nil }
        let start = bytes.index(of: hyphen.inverted, in: head..<bytes.count)
        let end = bytes[start...].firstRange(of: "-----END ".utf8)?.lowerBound ?? bytes.count
        let key = bytes.trimmed(start..<end)
        return key.isEmpty ? nil : (key, "PEM")
    }

    /// The prefixes that services publish: a new one needs the page of its service.
    private static let prefixes = """
        AKIA ASIA ghp_ gho_ ghs_ ghr_ ghu_ github_pat_ glpat- xoxa- xoxb- xoxe- xoxp- xoxr- xoxs-
        sk_live_ sk_test_ rk_live_ rk_test_ whsec_ AIza ya29. GOCSPX- sk- SG. npm_ hf_ hvs.
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    private static let word = ByteSet.alphanumerics.union("_-.")
    private static let credentials = word.union("~+/=")
    private static let hyphen = ByteSet("-")
}
