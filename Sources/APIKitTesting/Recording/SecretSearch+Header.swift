import APIKit

extension SecretSearch {
    /// Finds the secrets in the value of a header field.
    func edits(inHeader name: String, of bytes: [UInt8]) -> [TextEdit] {
        let range = 0..<bytes.count
        guard redaction.hidesHeader(name) else {
            let urls = edits(inReferences: range, of: bytes)
            return edits(inJSON: range, of: bytes)
                ?? edits(inLines: range, of: bytes, isScript: false, urls: urls)
        }
        switch name.lowercased() {
        case "cookie": return edits(inCookies: range, of: bytes)
        case "set-cookie": return edits(inSetCookies: range, of: bytes)
        case "authorization", "proxy-authorization":
            return edits(inCredentials: range, of: bytes)
        default: return bytes.isEmpty ? [] : [TextEdit(range, replacement(for: bytes))]
        }
    }

    private func edits(inCookies range: Range<Int>, of bytes: [UInt8]) -> [TextEdit] {
        bytes.ranges(in: range, separatedBy: Self.semicolon).compactMap {
            edit(ofCookie: $0, of: bytes)
        }
    }

    /// Finds the values of cookies that commas join (RFC 9110, section 5.3).
    ///
    /// Their attributes stay.
    private func edits(inSetCookies range: Range<Int>, of bytes: [UInt8]) -> [TextEdit] {
        var starts = [range.lowerBound]
        for part in bytes.ranges(in: range, separatedBy: Self.comma).dropFirst() {
            // A date contains a comma too, but no `=` follows it.
            let name = bytes.index(of: Self.noSpace, in: part)
            let end = bytes.index(of: Self.noToken, in: name..<range.upperBound)
            if end > name, end < range.upperBound, bytes[end] == UInt8(ascii: "=") {
                starts.append(part.lowerBound)
            }
        }
        return zip(starts, starts.dropFirst().map { $0 - 1 } + [range.upperBound]).compactMap {
            start, limit in
            var end = start
            let value = bytes.index(of: Self.equals, in: start..<limit) + 1
            if value < limit, bytes[value] == UInt8(ascii: "\"") {
                // A value in quotes may contain a semicolon (RFC 2109, section 4.1).
                let quote = bytes.index(of: Self.quote, in: (value + 1)..<limit)
                if quote < limit { end = quote }
            }
            return edit(
                ofCookie: start..<bytes.index(of: Self.semicolon, in: end..<limit), of: bytes)
        }
    }

    private func edit(ofCookie range: Range<Int>, of bytes: [UInt8]) -> TextEdit? {
        let equals = bytes.index(of: Self.equals, in: range)
        // A cookie without a name consists of its value.
        let value = equals < range.upperBound ? (equals + 1)..<range.upperBound : range
        return edit(ofQuotable: value, of: bytes)
    }

    /// Finds the credentials after their scheme (RFC 9110, section 11.4).
    private func edits(inCredentials range: Range<Int>, of bytes: [UInt8]) -> [TextEdit] {
        let scheme = bytes.index(of: Self.space, in: range)
        let start = bytes.index(of: Self.noSpace, in: scheme..<range.upperBound)
        guard scheme < range.upperBound, start < range.upperBound else {
            return range.isEmpty ? [] : [TextEdit(range, replacement(for: bytes[range]))]
        }
        let parameters = parameters(in: start..<range.upperBound, of: bytes)
        let names = parameters.map { parameter -> Range<Int>? in
            let name = bytes.index(of: Self.noSpace, in: parameter)
            let end = bytes.index(of: Self.noToken, in: name..<parameter.upperBound)
            let equals = bytes.index(of: Self.noSpace, in: end..<parameter.upperBound)
            guard end > name, equals < parameter.upperBound, bytes[equals] == UInt8(ascii: "="),
                bytes.index(of: Self.noPadding, in: equals..<parameter.upperBound)
                    < parameter.upperBound
            else { return nil }
            return name..<equals
        }
        guard names.first != .some(nil) else {
            let credentials = start..<range.upperBound
            return [TextEdit(credentials, replacement(for: bytes[credentials]))]
        }
        return zip(parameters, names).compactMap { parameter, name in
            guard let name else { return edit(ofQuotable: parameter, of: bytes) }
            let text = String(decoding: bytes[name], as: UTF8.self).lowercased()
            guard !Self.harmlessParameters.contains(text) else { return nil }
            return edit(ofQuotable: (name.upperBound + 1)..<parameter.upperBound, of: bytes)
        }
    }

    /// Returns the ranges between commas outside of quotes.
    private func parameters(in range: Range<Int>, of bytes: [UInt8]) -> [Range<Int>] {
        var parameters: [Range<Int>] = []
        var (start, index, isQuoted) = (range.lowerBound, range.lowerBound, false)
        while true {
            index = bytes.index(
                of: isQuoted ? Self.quoteOrBackslash : Self.quoteOrComma,
                in: index..<range.upperBound)
            guard index < range.upperBound else { return parameters + [start..<range.upperBound] }
            switch bytes[index] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\\"): index = min(index + 1, range.upperBound - 1)
            default:
                parameters.append(start..<index)
                start = index + 1
            }
            index += 1
        }
    }

    /// Returns the edit of a value without the space and the quotes around it.
    private func edit(ofQuotable range: Range<Int>, of bytes: [UInt8]) -> TextEdit? {
        let range = bytes.trimming(Self.quoteOrSpace, range)
        let secret = UnescapedText(percentEncoded: range, of: bytes).bytes
        return secret.isEmpty ? nil : TextEdit(range, replacement(for: secret))
    }

    /// Parameters that name no secret, such as those of RFC 7616 and RFC 5849.
    private static let harmlessParameters: Set = [
        "algorithm", "charset", "headers", "nc", "oauth_signature_method", "oauth_timestamp",
        "oauth_version", "qop", "realm", "signedheaders", "uri", "userhash", "version",
    ]
    private static let space = ByteSet.space
    private static let noSpace = ByteSet.space.inverted
    private static let quote = ByteSet("\"")
    private static let quoteOrSpace = ByteSet("\" \t")
    private static let quoteOrComma = ByteSet("\",")
    private static let quoteOrBackslash = ByteSet("\"\\")
    private static let semicolon = ByteSet(";")
    private static let comma = ByteSet(",")
    private static let equals = ByteSet("=")
    private static let noPadding = ByteSet("= \t").inverted
    private static let noToken = ByteSet {
        !("a"..."z" ~= Character(Unicode.Scalar($0)) || "A"..."Z" ~= Character(Unicode.Scalar($0))
            || "0"..."9" ~= Character(Unicode.Scalar($0)) || "!#$%&'*+-.^_`|~".utf8.contains($0))
    }
}

extension [UInt8] {
    /// Returns the ranges between the bytes of a set, of which the first and the last may be empty.
    func ranges(in range: Range<Int>, separatedBy separator: ByteSet) -> [Range<Int>] {
        var (ranges, start) = ([Range<Int>](), range.lowerBound)
        while true {
            let end = index(of: separator, in: start..<range.upperBound)
            ranges.append(start..<end)
            guard end < range.upperBound else { return ranges }
            start = end + 1
        }
    }

    /// Returns a range without the bytes of a set at its start and its end.
    func trimming(_ set: ByteSet, _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, set.contains(self[start]) { start += 1 }
        while start < end, set.contains(self[end - 1]) { end -= 1 }
        return start..<end
    }

    /// Returns the start of a text, or `nil` if the range does not contain it.
    func start(of text: StaticString, in range: Range<Int>) -> Int? {
        let first = text.withUTF8Buffer { setsOfOneByte[Int($0.first ?? 0)] }
        var index = range.lowerBound
        while true {
            index = self.index(of: first, in: index..<range.upperBound)
            guard index + text.utf8CodeUnitCount <= range.upperBound else { return nil }
            if hasText(text, at: index) { return index }
            index += 1
        }
    }
}

/// The sets, because creating one takes longer than a search.
private let setsOfOneByte = (UInt8.min...UInt8.max).map { byte in ByteSet { $0 == byte } }
