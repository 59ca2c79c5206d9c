import Foundation

/// The percent-encoding of RFC 3986, for interpolated values and literal text, and that of browsers, for
/// URLs that others have written.
enum PercentEncoding {
    /// Encodes all but the unreserved characters (RFC 3986, section 2.3).
    static func value(_ text: String) -> String {
        // Most values need no encoding.
        if text.utf8.allSatisfy(isUnreserved) { return text }
        return encode(Array(text.utf8)) { byte, _ in isUnreserved(byte) }.text
    }

    /// Encodes the characters that a URL cannot contain, and keeps delimiters and percent escapes.
    ///
    /// The host of an absolute URL stays as written: `URL` itself converts it to ASCII.
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

    fileprivate static let schemeBytes = ByteSet.alphanumerics.union("+-.")

    /// Encodes the characters that a URL cannot contain outside of its host.
    private static func delimited(_ text: some StringProtocol) -> String {
        // Most texts need no encoding.
        if text.utf8.allSatisfy({ isUnreserved($0) || isDelimiter($0) }) { return String(text) }
        return encode(Array(text.utf8)) { byte, rest in
            isUnreserved(byte) || isDelimiter(byte) || isEscape(byte, rest)
        }
        .text
    }

    /// Whether a byte starts an escape such as `%C3`.
    fileprivate static func isEscape(_ byte: UInt8, _ rest: ArraySlice<UInt8>) -> Bool {
        byte == UInt8(ascii: "%") && rest.count >= 2
            && rest.prefix(2).allSatisfy(ByteSet.hexDigits.contains)
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

extension URL {
    /// Reads a URL that another program has written, for example in a redirect, a link, a recording or
    /// a request line.
    ///
    /// It is read as browsers read it (WHATWG URL Standard). White space around it, tabs and line breaks
    /// are ignored, and a backslash in the path is a slash. The characters of the standard's sets are
    /// percent-encoded, and so are those that RFC 3986 forbids. Escapes stay. An empty reference is the
    /// base without its fragment.
    ///
    /// - Parameters:
    ///   - text: An absolute URL, or a reference if there is a base.
    ///   - base: The URL of the resource that contains the text.
    package init?(foreign text: String, relativeTo base: URL? = nil) {
        // `URL` encodes a part with a forbidden character as a whole, including its escapes, and
        // refuses it before macOS 14 and iOS 17. So it only receives parts without such characters.
        var text = PercentEncoding.foreign(text)
        if text.isEmpty, let base { text = base.withoutFragment }
        // A host without a scheme may be converted to other characters.
        if text.utf8.starts(with: "//".utf8), let scheme = base?.scheme {
            text = "\(scheme):\(text)"
        }
        self.init(string: text, relativeTo: base)
    }
}

extension PercentEncoding {
    /// Returns the text of a URL or a reference with its user, path, query and fragment encoded.
    fileprivate static func foreign(_ text: String) -> String {
        var rest = Array(text.utf8.filter { !"\t\n\r".utf8.contains($0) })[...]
        rest = rest.drop { $0 <= 0x20 }
        while let last = rest.last, last <= 0x20 { rest.removeLast() }
        /// Cuts the rest at the first occurrence of a byte, and returns the bytes from there on.
        func cut(at mark: UInt8) -> ArraySlice<UInt8> {
            let start = rest.firstIndex(of: mark) ?? rest.endIndex
            defer { rest = rest[..<start] }
            return rest[start...]
        }
        let fragment = cut(at: UInt8(ascii: "#"))
        let query = cut(at: UInt8(ascii: "?"))
        let path = rest.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
        let scheme = path.prefix(while: schemeBytes.contains)
        let isAbsolute = path.hasText(":", at: scheme.count) && !scheme.isEmpty
        let start = isAbsolute ? scheme.count + 1 : 0
        guard path.hasText("//", at: start) else {
            return encode(path, besides: pathBytes).text + encode(query, fragment)
        }
        let authority = start + 2
        let end = path[authority...].firstIndex(of: UInt8(ascii: "/")) ?? path.count
        let user = path[..<end].lastIndex(of: UInt8(ascii: "@")) ?? authority
        let password = path[authority..<user].firstIndex(of: UInt8(ascii: ":")) ?? user
        // A host stays as written, because `URL` converts an internationalized one to ASCII.
        return path[..<authority].text
            + encode(path[authority..<password], besides: userBytes).text
            + path[password..<min(password + 1, user)].text
            + encode(path[min(password + 1, user)..<user], besides: userBytes).text
            + path[user..<end].text + encode(path[end...], besides: pathBytes).text
            + encode(query, fragment)
    }

    private static func encode(_ query: ArraySlice<UInt8>, _ fragment: ArraySlice<UInt8>) -> String
    {
        query.prefix(1).text + encode(query.dropFirst(), besides: queryBytes).text
            + fragment.prefix(1).text + encode(fragment.dropFirst(), besides: fragmentBytes).text
    }

    private static func encode(_ bytes: some Sequence<UInt8>, besides kept: ByteSet) -> [UInt8] {
        encode(Array(bytes)) { byte, rest in kept.contains(byte) || isEscape(byte, rest) }
    }

    // The characters that neither RFC 3986 (section 3) nor the standard (section 1.3) encodes.
    private static let userBytes = ByteSet(isUnreserved).union("!$&'()*+,")
    private static let pathBytes = userBytes.union(":@/;=")
    private static let fragmentBytes = pathBytes.union("?")
    private static let queryBytes = ByteSet {
        fragmentBytes.contains($0) && $0 != UInt8(ascii: "'")
    }
}

extension Collection<UInt8> {
    /// Returns the bytes without percent escapes.
    ///
    /// Malformed escapes stay.
    ///
    /// - Parameter plusIsSpace: Whether a plus sign is a space, as in a form.
    /// - Returns: The decoded bytes.
    func percentDecoded(plusIsSpace: Bool = false) -> [UInt8] {
        // Most texts have no escape.
        guard plusIsSpace || contains(UInt8(ascii: "%")) else { return Array(self) }
        var (plain, rest) = ([UInt8](), Array(self)[...])
        plain.reserveCapacity(rest.count)
        while let byte = rest.popFirst() {
            if PercentEncoding.isEscape(byte, rest) {
                // The lower half of a letter counts from one.
                plain.append(
                    rest.prefix(2).reduce(0) { $0 << 4 + $1 & 15 + ($1 < 0x41 ? 0 : 9) })
                rest = rest.dropFirst(2)
            } else {
                plain.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return plain
    }
}

extension Substring {
    /// Returns the text without percent escapes, or the text itself if the result is not UTF-8.
    ///
    /// Malformed escapes stay. On Linux, `removingPercentEncoding` takes many times as long.
    package func percentDecoded(plusIsSpace: Bool = false) -> String {
        // Most texts have no escape.
        guard utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(self)
        }
        let bytes = utf8.percentDecoded(plusIsSpace: plusIsSpace)
        return String(bytes: bytes, encoding: .utf8) ?? String(self)
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
