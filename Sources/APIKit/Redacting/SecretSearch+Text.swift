// Any text that is not JSON: URLs, forms, XML, HTML, SOAP, GraphQL, YAML, scripts, log lines, event
// streams. All have names and values with a separator between them.

extension SecretSearch {
    /// Finds the secrets in values that follow their names.
    func secrets(
        inNamedValuesOf range: Range<Int>, of bytes: [UInt8], plusIsSpace: Bool
    ) -> [FoundSecret] {
        var found: [FoundSecret] = []
        var label: String?
        var script = 0..<0
        var (index, unquoted) = (range.lowerBound, range.lowerBound..<range.lowerBound)
        while true {
            index = bytes.index(of: Self.separators, in: index..<range.upperBound)
            guard index < range.upperBound else { return found }
            let mark = index
            index += 1
            switch bytes[mark] {
            case UInt8(ascii: "@"):
                found += user(before: mark, in: range, of: bytes)
            case UInt8(ascii: "<"):
                guard let tag = Tag(at: mark, in: range, of: bytes) else { continue }
                found += secrets(inTag: tag, &label, of: bytes)
                index = max(index, tag.range.upperBound)
                if tag.name.lowercased() == "script", !script.contains(mark) {
                    script = Self.script(from: tag.range.upperBound, in: range, of: bytes)
                }
            default:
                guard let name = Self.name(before: mark, in: range, of: bytes) else { continue }
                let rule = self.rule(for: name.text)
                guard rule.mayHide else { continue }
                // A script can contain a URL with a query.
                let isItem =
                    bytes[mark] == UInt8(ascii: "=") && name.start > range.lowerBound
                    && "?&".utf8.contains(bytes[name.start - 1])
                let isScript = !isItem && (isScript || script.contains(mark))
                let value = Value(
                    after: mark, ofNameAt: name.start, hasSpaces: rule.isSecret, in: range,
                    of: bytes,
                    known: unquoted)
                let isInner = unquoted.contains(value.range.lowerBound)
                unquoted = value.isQuoted ? unquoted : value.range
                guard value.isQuoted || !isScript && !value.isCode(bytes) else { continue }
                // In `a=b=c=…`, each value contains the next value, so reading all in full is slow.
                if isInner, !mayBeSecret(value.range, of: bytes, rule) { continue }
                let plain = UnescapedText(
                    percentEncoded: value.range, of: bytes, plusIsSpace: plusIsSpace)
                let secrets = secrets(
                    inValue: value.range, of: bytes, plain: plain.hasEscapes ? plain.bytes : nil,
                    rule: rule, name: name.text)
                if let end = secrets.last?.range.upperBound { index = max(index, end) }
                found += secrets
            }
        }
    }

    /// Returns whether a value must be read in full, because it is short or starts like a secret.
    private func mayBeSecret(_ range: Range<Int>, of bytes: [UInt8], _ rule: SecretRule) -> Bool {
        guard range.count > ValueShape.limit else { return true }
        let start = range.lowerBound..<(range.lowerBound + ValueShape.limit)
        return rule.hides(UnescapedText(percentEncoded: start, of: bytes).bytes)
    }

    /// Returns the content of a `script` element, which may contain `<`.
    private static func script(
        from start: Int, in range: Range<Int>, of bytes: [UInt8]
    ) -> Range<Int> {
        var end = start
        while true {
            end = bytes.index(of: .less, in: end..<range.upperBound)
            let isEnd = bytes.hasText("</script", at: end) || bytes.hasText("</SCRIPT", at: end)
            if isEnd || end == range.upperBound { return start..<end }
            end += 1
        }
    }

    /// Finds the user and password of a URL.
    private func user(before mark: Int, in range: Range<Int>, of bytes: [UInt8]) -> [FoundSecret] {
        guard redaction.hidesSecrets else { return [] }
        // Without a limit, a text of many `@` would take quadratic time.
        let limit = max(range.lowerBound, mark - 2_048)
        let start = bytes.startOfLast(Self.userParts, in: limit..<mark)
        guard start < mark, start - 2 >= range.lowerBound, bytes.hasText("//", at: start - 2) else {
            return []
        }
        let secret = UnescapedText(percentEncoded: start..<mark, of: bytes).bytes
        return [FoundSecret(start..<mark, secret, name: "user of a URL")]
    }

    /// Returns the name before a separator, such as `a` of `"a": 1`, `a[]=1` and `<b>a</b>: 1`.
    package static func name(
        before mark: Int, in range: Range<Int>, of bytes: [UInt8]
    ) -> (text: String, start: Int)? {
        func skip(_ set: ByteSet, before end: Int, upTo count: Int) -> Int {
            bytes.startOfLast(set, in: max(range.lowerBound, end - count)..<end)
        }
        var end = skip(beforeSeparator, before: mark, upTo: 8)
        if end > range.lowerBound, bytes[end - 1] == UInt8(ascii: ">"),
            let tag = bytes[max(range.lowerBound, end - 32)..<end].lastIndex(of: UInt8(ascii: "<"))
        {
            end = tag
        }
        end = skip(beforeSeparator, before: end, upTo: 8)
        let start = skip(nameParts, before: end, upTo: 128)
        guard start < end else { return nil }
        // This is part of a longer text with colons, such as an AWS resource name.
        if bytes[mark] == colon, start > range.lowerBound, bytes[start - 1] == colon { return nil }
        let plain = UnescapedText(percentEncoded: start..<end, of: bytes).bytes
        // This is escaped JSON. The search finds its names and values in the unescaped text.
        if plain.contains(where: "{\"".utf8.contains) { return nil }
        return (String(decoding: plain, as: UTF8.self), start)
    }

    package static let nameParts = ByteSet {
        $0 >= 0x80 || ByteSet.alphanumerics.contains($0) || "_-.$[]%".utf8.contains($0)
    }
    private static let separators = ByteSet("=:<@")
    private static let colon = UInt8(ascii: ":")
    private static let beforeSeparator = ByteSet(" \t\"'`\\]:")
    private static let userParts = ByteSet(" \n\r\t/?#<>\"'`").inverted
}

/// The value after a name and a separator.
private struct Value {
    private(set) var range: Range<Int>
    private(set) var isQuoted = false

    /// - Parameters:
    ///   - mark: The separator.
    ///   - name: The start of the name.
    ///   - hasSpaces: Whether the value may have spaces, up to the end of the line.
    ///   - range: The text.
    ///   - bytes: The bytes that contain the text.
    ///   - known: The last value without quotes, which may contain this one.
    init(
        after mark: Int, ofNameAt name: Int, hasSpaces: Bool, in range: Range<Int>,
        of bytes: [UInt8], known: Range<Int>
    ) {
        let end = range.upperBound
        var start = mark + 1
        func skip(_ set: ByteSet) { start = bytes.index(of: set.inverted, in: start..<end) }
        if start < end, "=>".utf8.contains(bytes[start]) { start += 1 }
        skip(.blanks)
        let isBroken = start < end && Self.lineBreaks.contains(bytes[start])
        if isBroken {
            // A value on the next line has quotes, as in JSON and in the data of an event.
            skip(.space)
            if bytes[start..<end].starts(with: "data:".utf8) { start += 5 }
            skip(.space)
        }
        while start < end, bytes[start] == UInt8(ascii: "<"),
            let tag = bytes[start..<min(end, start + 16)].firstIndex(of: UInt8(ascii: ">"))
        {
            start = tag + 1
            skip(.blanks)
        }
        start = min(start, end)
        self.range = start..<start
        guard start < end, !"{[(".utf8.contains(bytes[start]) else { return }
        if "\"'".utf8.contains(bytes[start]) {
            let string = SecretSearch.endOfString(from: start, in: range, of: bytes)
            isQuoted = true
            self.range = (start + 1)..<max(start + 1, string.content)
            return
        }
        guard !isBroken else { return }
        if known.contains(start) {
            self.range = start..<known.upperBound
        } else if hasSpaces,
            let quote = Self.quote(around: name, before: mark, in: range, of: bytes)
        {
            // The quotes contain the name too, as in `curl -H "X-Api-Key: x"`.
            self.range = start..<bytes.index(of: quote, in: start..<end)
        } else if hasSpaces, Self.startsLine(name, in: range, of: bytes) {
            let line = start..<bytes.index(of: Self.endsOfLine, in: start..<end)
            let comment = bytes[line].indices.first {
                bytes[$0] == UInt8(ascii: "#") && $0 > start && bytes[$0 - 1] == 0x20
            }
            self.range = bytes.trimming(.space, start..<(comment ?? line.upperBound))
        } else {
            let value = start + bytes.credentialsScheme(in: start..<end)
            let before = name > range.lowerBound ? bytes[name - 1] : 0
            let ends =
                switch before {
                case UInt8(ascii: "?"), UInt8(ascii: "&"): Self.endsOfItem
                case UInt8(ascii: ";"): Self.endsOfPathParameter
                default: Self.ends
                }
            self.range = start..<bytes.index(of: ends, in: value..<end)
        }
    }

    /// Returns whether the value is an expression, such as `password()` or `${PASSWORD}`.
    func isCode(_ bytes: [UInt8]) -> Bool {
        let text = bytes[range]
        if "$({".utf8.contains(text.first ?? 0), "({".utf8.contains(text.dropFirst().first ?? 0) {
            return true
        }
        let word = text.prefix { SecretSearch.nameParts.contains($0) }
        if text.count < 10, Self.literals.contains(String(decoding: text, as: UTF8.self)) {
            return true
        }
        return !word.isEmpty && text.dropFirst(word.count).first == UInt8(ascii: "(")
    }

    /// Returns the quote before a name, if no quote follows the name.
    private static func quote(
        around name: Int, before mark: Int, in range: Range<Int>, of bytes: [UInt8]
    ) -> ByteSet? {
        let quotes = "\"'".utf8
        guard name > range.lowerBound, bytes[mark] == UInt8(ascii: ":"),
            quotes.contains(bytes[name - 1]), !bytes[name..<mark].contains(where: quotes.contains)
        else { return nil }
        return bytes[name - 1] == UInt8(ascii: "'") ? .apostrophe : .quote
    }

    /// Returns whether a line starts with a name, as in YAML and environment files.
    private static func startsLine(_ name: Int, in range: Range<Int>, of bytes: [UInt8]) -> Bool {
        bytes[max(range.lowerBound, name - 40)..<name].last { !" \t-".utf8.contains($0) }
            .map(lineBreaks.contains) ?? true
    }

    private static let literals: Set = ["null", "true", "false", "nil", "None", "undefined"]
    private static let lineBreaks = ByteSet("\n\r")
    private static let endsOfLine = ByteSet("\n\r\"<&")
    private static let ends = ByteSet(" \n\r\t&;,\"'<>)}]`")
    /// The ends of a query item or a field of a form.
    private static let endsOfItem = ByteSet(" \n\r\t&#;\"<>`")
    /// The ends of a path parameter (RFC 3986, section 3.3).
    private static let endsOfPathParameter = ByteSet(" \n\r\t&;,\"'<>)}]`/?#")
}
