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
    /// The host of an absolute URL becomes ASCII.
    static func literal(_ text: String) -> String {
        // A fast path, because few texts have a colon.
        guard text.utf8.contains(UInt8(ascii: ":")) else { return delimited(text) }
        let reference = URLReference(text)
        guard reference.scheme != nil, reference.authority != nil else { return delimited(text) }
        return reference.encoded
    }

    /// Encodes the authority of a URL: the user, the host and the port.
    static func authority(_ text: Substring) -> String {
        var (user, host) = (text[..<text.startIndex], text)
        if let end = text.utf8.lastIndex(of: UInt8(ascii: "@")) {
            // Searches bytes, because `@` and a combining mark after it form one `Character`.
            user = Substring(text.utf8[...end])
            host = Substring(text.utf8[end...].dropFirst())
        }
        // Only an IPv6 address stands in brackets (RFC 3986, section 3.2.2). The percent sign before
        // a zone must be encoded (RFC 6874), but often is not.
        if let address = host.prefixMatch(
            of: /\[([0-9A-Fa-f:.]+)(?:%(?:25)?([A-Za-z0-9._~\-]+))?\]/)
        {
            let (match, number, zone) = address.output
            let port = host[match.endIndex...]
            return delimited(user) + "[\(number)\(zone.map { "%25\($0)" } ?? "")]" + delimited(port)
        }
        let colon = host.utf8.lastIndex(of: UInt8(ascii: ":")) ?? host.endIndex
        return delimited(user) + hostName(host[..<colon]) + delimited(host[colon...])
    }

    private static func hostName(_ name: Substring) -> String {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return delimited(name) }
        // Normalization turns some characters into delimiters, such as U+FF0F into a slash.
        return encode(Punycode.host(name)) { byte, _ in isUnreserved(byte) }
    }

    /// Encodes the characters that a URL cannot contain outside of its host.
    static func delimited(_ text: some StringProtocol, isInFragment: Bool = false) -> String {
        // Most texts need no encoding.
        if text.utf8.allSatisfy({ isUnreserved($0) || isDelimiter($0) }) { return String(text) }
        var isInFragment = isInFragment
        return encode(text) { byte, rest in
            switch byte {
            case UInt8(ascii: "%"):
                return rest.prefix(2).allSatisfy(isHexDigit) && rest.count >= 2
            case UInt8(ascii: "#"):
                // A fragment cannot contain another `#` (RFC 3986, section 3.5).
                defer { isInFragment = true }
                return !isInFragment
            default:
                return isUnreserved(byte) || isDelimiter(byte)
            }
        }
    }

    private static func encode(
        _ text: some StringProtocol,
        keeping isKept: (UInt8, ArraySlice<UInt8>) -> Bool
    ) -> String {
        let bytes = Array(text.utf8)
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
        return String(decoding: encoded, as: UTF8.self)
    }

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

    /// Returns whether a byte is a delimiter (RFC 3986, section 2.2) other than `#`, `[` and `]`.
    private static func isDelimiter(_ byte: UInt8) -> Bool { ":/?@!$&'()*+,;=".utf8.contains(byte) }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default:
            false
        }
    }

    private static let hexDigits = Array("0123456789ABCDEF".utf8)
}
