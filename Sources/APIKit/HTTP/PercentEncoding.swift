/// The percent-encoding of RFC 3986, for interpolated values and for literal text.
enum PercentEncoding {
    /// Encodes all but the unreserved characters (RFC 3986, section 2.3).
    static func value(_ text: some StringProtocol) -> String {
        // Most values need no encoding.
        if text.utf8.allSatisfy(isUnreserved) { return String(text) }
        return encode(text) { byte, _ in isUnreserved(byte) }
    }

    /// Encodes the characters that a URL cannot contain, and keeps delimiters and percent escapes.
    ///
    /// It keeps the authority of an absolute URL, because `URL` converts an internationalized host to
    /// ASCII.
    static func literal(_ text: String) -> String {
        // A fast path, because few texts have a colon.
        guard text.utf8.contains(UInt8(ascii: ":")),
            let start = text.prefixMatch(of: authority.matchingSemantics(.unicodeScalar))
        else { return delimited(text) }
        return start.output + delimited(text[start.range.upperBound...])
    }

    private static var authority: Regex<Substring> { /[A-Za-z][A-Za-z0-9+.\-]*:\/\/[^\/?#]*/ }

    /// Encodes the characters that a URL cannot contain outside of its host.
    private static func delimited(_ text: some StringProtocol) -> String {
        // Most texts need no encoding.
        if text.utf8.allSatisfy({ isUnreserved($0) || isDelimiter($0) }) { return String(text) }
        var isInFragment = false
        return encode(text) { byte, rest in
            switch byte {
            case UInt8(ascii: "%"):
                return rest.prefix(2).allSatisfy(ByteSet.hexDigits.contains) && rest.count >= 2
            case UInt8(ascii: "#"):
                // A fragment cannot contain another `#` (RFC 3986, section 3.5).
                defer { isInFragment = true }
                return !isInFragment
            default:
                return isUnreserved(byte) || isDelimiter(byte)
            }
        }
    }

    fileprivate static func encode(_ bytes: [UInt8]) -> [UInt8] {
        bytes.allSatisfy(isUnreserved)
            ? bytes : encode(bytes) { byte, _ in isUnreserved(byte) || byte == UInt8(ascii: "*") }
    }

    private static func encode(
        _ text: some StringProtocol,
        keeping isKept: (UInt8, ArraySlice<UInt8>) -> Bool
    ) -> String {
        String(decoding: encode(Array(text.utf8), keeping: isKept), as: UTF8.self)
    }

    private static func encode(
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
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }

    /// Whether a byte is a delimiter (RFC 3986, section 2.2) other than `#`, `[` and `]`.
    private static func isDelimiter(_ byte: UInt8) -> Bool { ":/?@!$&'()*+,;=".utf8.contains(byte) }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)
}

extension Collection<UInt8> {
    /// Returns the bytes without percent escapes, except for malformed ones.
    ///
    /// - Parameter plusIsSpace: Whether a plus sign is a space, as in a form.
    /// - Returns: The decoded bytes.
    func percentDecoded(plusIsSpace: Bool = false) -> [UInt8] {
        var (plain, index) = ([UInt8](), startIndex)
        while index < endIndex {
            var byte = self[index]
            formIndex(after: &index)
            if byte == UInt8(ascii: "%") {
                let digits = self[index...].prefix(2)
                if digits.count == 2, digits.allSatisfy(ByteSet.hexDigits.contains) {
                    byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) ?? byte
                    index = digits.endIndex
                }
            } else if plusIsSpace, byte == UInt8(ascii: "+") {
                byte = UInt8(ascii: " ")
            }
            plain.append(byte)
        }
        return plain
    }
}

extension [UInt8] {
    /// The bytes with percent escapes, except for unreserved characters and the asterisks of a mask.
    var percentEncoded: [UInt8] { PercentEncoding.encode(self) }
}
