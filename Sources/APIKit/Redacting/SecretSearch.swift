import Foundation

/// A search for the secrets in texts, which finds the edits that replace them.
///
/// A log shows the mask in place of a secret, and hides too much where a text is not clear. A
/// recording has a substitute for each secret, and all other bytes stay the same.
package struct SecretSearch {
    /// The rule that selects the secrets.
    package let redaction: Redaction
    /// Returns the text in place of a secret, or `nil` in a log.
    private let substitute: ((String) -> String)?
    /// Finds the secrets in a text that is not JSON, or `nil` in a log.
    private let searchText: ((SecretSearch, Range<Int>, [UInt8]) -> [TextEdit])?
    private let names = Names()
    /// How many values contain the current one.
    private var depth = 0

    /// Creates the search for a log.
    init(_ redaction: Redaction) {
        self.redaction = redaction
        substitute = nil
        searchText = nil
    }

    /// Creates the search for a recording.
    package init(
        _ redaction: Redaction, substitute: @escaping (String) -> String,
        searchText: @escaping (SecretSearch, Range<Int>, [UInt8]) -> [TextEdit]
    ) {
        self.redaction = redaction
        self.substitute = substitute
        self.searchText = searchText
    }

    /// Whether all bytes other than secrets stay the same, as in a recording.
    var isExact: Bool { substitute != nil }

    /// Returns the text in place of a secret, after the scheme if the secret has one.
    package func replacement(for secret: some Collection<UInt8>) -> [UInt8] {
        guard let substitute else { return Array(Redaction.mask.utf8) }
        let text = String(decoding: secret, as: UTF8.self)
        let scheme =
            ["bearer ", "basic "].first { text.lowercased().hasPrefix($0) }.map {
                text.utf8.prefix($0.utf8.count)
            } ?? text.utf8.prefix(0)
        let credentials = String(decoding: secret.dropFirst(scheme.count), as: UTF8.self)
        return credentials.isEmpty ? Array(secret) : scheme + Array(substitute(credentials).utf8)
    }

    /// Returns whether the value of a JSON member is a secret.
    package func hidesValue(named name: some Collection<UInt8>) -> Bool {
        let name = String(decoding: name, as: UTF8.self)
        return names.isHidden(name) { redaction.hidesValue(named: $0) }
    }

    /// Returns whether the value of a query item, path parameter or form field is a secret.
    package func hidesItem(named name: [UInt8]) -> Bool {
        // A fragment may contain a path and a query.
        let name = String(decoding: name, as: UTF8.self)
        return redaction.hidesItem(named: name.split(separator: "?").last ?? "")
    }

    /// The names in a text, which occur again and again, such as those in an array of objects.
    private final class Names {
        private var isHidden: [String: Bool] = [:]

        func isHidden(_ name: String, by rule: (String) -> Bool) -> Bool {
            if let known = isHidden[name] { return known }
            let result = rule(name)
            isHidden[name] = result
            return result
        }
    }
}

extension SecretSearch {
    /// Finds the secrets in the JSON of a text, or otherwise in its URLs.
    package func edits(inValue range: Range<Int>, of bytes: [UInt8]) -> [TextEdit] {
        guard redaction.hidesAnything, !range.isEmpty else { return [] }
        guard let search = nested() else {
            return [TextEdit(range, replacement(for: bytes[range]))]
        }
        let hasMark = range.count >= 3 && bytes.hasText("\u{FEFF}", at: range.lowerBound)
        let text = hasMark ? (range.lowerBound + 3)..<range.upperBound : range
        return search.edits(inJSON: text, of: bytes) ?? searchText?(search, range, bytes)
            ?? search.edits(inReferences: range, of: bytes)
    }

    /// Returns the search for the values in the current one, or `nil` if the nesting is too deep.
    package func nested() -> SecretSearch? {
        guard depth < Self.maximalDepth else { return nil }
        var search = self
        search.depth += 1
        return search
    }

    /// Finds the secrets in the URLs of a text.
    package func edits(inReferences range: Range<Int>, of bytes: [UInt8]) -> [TextEdit] {
        var edits: [TextEdit] = []
        var start = range.lowerBound
        while true {
            let mark = bytes.index(of: Self.marks, in: start..<range.upperBound)
            guard mark < range.upperBound else { return edits }
            let end = bytes.index(of: Self.ends, in: mark..<range.upperBound)
            var first = mark
            while first > start, !Self.ends.contains(bytes[first - 1]) { first -= 1 }
            edits += self.edits(inReference: first..<end, of: bytes)
            start = end
        }
    }

    /// Finds the secrets in a query or a form.
    package func edits(
        inQuery range: Range<Int>, of bytes: [UInt8], plusIsSpace: Bool = false
    ) -> [TextEdit] {
        edits(inItems: range, of: bytes, separatedBy: Self.ampersand, plusIsSpace: plusIsSpace)
    }

    // Takes text, because an invalid URL, such as that of a redirect, can contain secrets too.
    private func edits(inReference range: Range<Int>, of bytes: [UInt8]) -> [TextEdit] {
        let fragment = bytes.index(of: Self.hash, in: range)
        let query = bytes.index(of: Self.questionMark, in: range.lowerBound..<fragment)
        let hasParameters = bytes.index(of: Self.semicolon, in: range.lowerBound..<query) < query
        var edits: [TextEdit] = []
        var start = range.lowerBound
        while start < query {
            let end = bytes.index(of: Self.slash, in: start..<query)
            if redaction.hidesUsers, end > start {
                edits += self.edits(inUserOf: start..<end, after: range.lowerBound, of: bytes)
            }
            // Path parameters (RFC 3986, section 3.3), such as the session ID of a servlet.
            if hasParameters {
                let isHidden = edits.last.map { start <= $0.range.lowerBound } ?? false
                let user = isHidden ? edits.last?.range.upperBound : nil
                edits += self.edits(
                    inItems: (user ?? start)..<end, of: bytes, separatedBy: Self.semicolon)
            }
            start = end + 1
        }
        if query < fragment { edits += self.edits(inQuery: (query + 1)..<fragment, of: bytes) }
        if fragment < range.upperBound {
            edits += self.edits(inQuery: (fragment + 1)..<range.upperBound, of: bytes)
        }
        return edits
    }

    /// Finds the user and password in the text between two slashes.
    ///
    /// They follow two slashes at the start of a URL or after its scheme. A text may contain several
    /// URLs without a space between them.
    private func edits(inUserOf range: Range<Int>, after first: Int, of bytes: [UInt8])
        -> [TextEdit]
    {
        var start = range.lowerBound
        while start > first, bytes[start - 1] == UInt8(ascii: "/") { start -= 1 }
        guard range.lowerBound - start >= 2,
            start == first || bytes[start - 1] == UInt8(ascii: ":"),
            let end = bytes[range].lastIndex(of: UInt8(ascii: "@"))
        else { return [] }
        let user = range.lowerBound..<end
        guard isExact else { return [TextEdit(user, replacement(for: bytes[user]))] }
        let colon = bytes.index(of: Self.colon, in: user)
        return [user.lowerBound..<colon, min(colon + 1, end)..<end].compactMap {
            let secret = UnescapedText(percentEncoded: $0, of: bytes).bytes
            return secret.isEmpty ? nil : TextEdit($0, replacement(for: secret))
        }
    }

    private func edits(
        inItems range: Range<Int>, of bytes: [UInt8], separatedBy separator: ByteSet,
        plusIsSpace: Bool = false
    ) -> [TextEdit] {
        var edits: [TextEdit] = []
        var start = range.lowerBound
        while start < range.upperBound {
            let end = bytes.index(of: separator, in: start..<range.upperBound)
            edits += self.edits(inItem: start..<end, of: bytes, plusIsSpace: plusIsSpace)
            start = end + 1
        }
        return edits
    }

    private func edits(
        inItem range: Range<Int>, of bytes: [UInt8], plusIsSpace: Bool
    ) -> [TextEdit] {
        let end = bytes.index(of: Self.equals, in: range)
        guard end < range.upperBound else { return [] }
        let name = UnescapedText(percentEncoded: range.lowerBound..<end, of: bytes)
        let value = (end + 1)..<range.upperBound
        let isHidden = hidesItem(named: name.bytes)
        let plain = UnescapedText(
            percentEncoded: value, of: bytes, plusIsSpace: isHidden && plusIsSpace)
        if isHidden {
            guard !isExact || !value.isEmpty else { return [] }
            return [TextEdit(value, replacement(for: plain.bytes))]
        }
        guard plain.hasEscapes else { return edits(inValue: value, of: bytes) }
        let edits = edits(inValue: 0..<plain.bytes.count, of: plain.bytes)
        return respelled(edits, in: plain, of: value) {
            // A substitute is valid in a URL, and must not depend on the escapes beside it.
            isExact ? $0 : Array(PercentEncoding.value(String(decoding: $0, as: UTF8.self)).utf8)
        }
    }

    /// Returns the edits of a text without escapes as edits of the text with escapes.
    ///
    /// In a log, one edit replaces the whole text.
    package func respelled(
        _ edits: [TextEdit], in plain: UnescapedText, of range: Range<Int>,
        escape: ([UInt8]) -> [UInt8]
    ) -> [TextEdit] {
        if edits.isEmpty { return [] }
        guard isExact else { return [TextEdit(range, escape(edits.applied(to: plain.bytes)))] }
        return edits.map { TextEdit(plain.source(of: $0.range), escape($0.text)) }
    }

    /// The search is recursive, and a hostile text could exhaust the stack.
    private static let maximalDepth = 50
    private static let marks = ByteSet("?#@;")
    private static let ends = ByteSet(" \n\r\t\u{B}\u{C}<>\"")
    private static let hash = ByteSet("#")
    private static let questionMark = ByteSet("?")
    private static let slash = ByteSet("/")
    private static let semicolon = ByteSet(";")
    private static let colon = ByteSet(":")
    private static let equals = ByteSet("=")
    private static let ampersand = ByteSet("&")
}
