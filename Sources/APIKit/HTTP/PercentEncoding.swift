/// The percent-encoding of RFC 3986, for interpolated values and for literal text.
enum PercentEncoding {
    /// Encodes all but the unreserved characters (RFC 3986, section 2.3).
    static func value(_ text: String) -> String {
        // Most values need no encoding.
        if text.utf8.allSatisfy(isUnreserved) { return text }
        return encode(Array(text.utf8)) { byte, _ in isUnreserved(byte) }.text
    }

    /// Encodes the characters that a URL cannot contain, and keeps delimiters and percent escapes.
    ///
    /// It keeps the authority of an absolute URL, because `URL` converts an internationalized host to
    /// ASCII.
    static func literal(_ text: String) -> String {
        guard let authority = authority(of: text) else { return delimited(text) }
        return authority + delimited(text[authority.endIndex...])
    }

    /// Returns the start of an absolute URL up to its path, or `nil` for other texts.
    static func authority(of text: String) -> Substring? {
        let scheme = text.utf8.prefix { schemeBytes.contains($0) }
        let rest = text.utf8[scheme.endIndex...]
        guard !scheme.isEmpty, rest.starts(with: "://".utf8) else { return nil }
        return text[..<(rest.dropFirst(3).firstIndex(where: "/?#".utf8.contains) ?? text.endIndex)]
    }

    private static let schemeBytes = ByteSet.alphanumerics.union("+-.")

    /// Encodes the characters that a URL cannot contain outside of its host.
    private static func delimited(_ text: some StringProtocol) -> String {
        // Most texts need no encoding.
        if text.utf8.allSatisfy({ isUnreserved($0) || isDelimiter($0) }) { return String(text) }
        return encode(Array(text.utf8)) { byte, rest in
            isUnreserved(byte) || isDelimiter(byte)
                || byte == UInt8(ascii: "%") && rest.count >= 2
                    && rest.prefix(2).allSatisfy(ByteSet.hexDigits.contains)
        }
        .text
    }

    fileprivate static func encode(
        _ bytes: [UInt8], keeping isKept: (UInt8, ArraySlice<UInt8>) -> Bool
    ) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            if isKept(byte, bytes[(index + 1)...]) {
                encoded.append(byte)
            } else {
                encoded += [
                    UInt8(ascii: "%"), hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)],
                ]
            }
        }
        return encoded
    }

    // Switches, because they are faster than a table.
    fileprivate static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }

    /// Whether a byte is a delimiter (RFC 3986, section 2.2) other than `[` and `]`.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        ":/?#@!$&'()*+,;=".utf8.contains(byte)
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)
}

extension Collection<UInt8> {
    /// Returns the bytes without percent escapes.
    ///
    /// Malformed escapes stay.
    ///
    /// - Parameter plusIsSpace: Whether a plus sign is a space, as in a form.
    /// - Returns: The decoded bytes.
    func percentDecoded(plusIsSpace: Bool = false) -> [UInt8] {
        var (plain, rest) = ([UInt8](), Array(self)[...])
        while let byte = rest.popFirst() {
            let digits = byte == UInt8(ascii: "%") ? rest.prefix(2) : []
            if digits.count == 2, digits.allSatisfy(ByteSet.hexDigits.contains),
                let decoded = UInt8(digits.text, radix: 16)
            {
                plain.append(decoded)
                rest = rest.dropFirst(2)
            } else {
                plain.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return plain
    }
}

extension [UInt8] {
    /// The bytes with percent escapes, except for unreserved characters and the asterisks of a mask.
    var percentEncoded: [UInt8] {
        PercentEncoding.encode(self) { byte, _ in
            PercentEncoding.isUnreserved(byte) || byte == UInt8(ascii: "*")
        }
    }
}
