import APIKit

extension SecretSearch {
    init(recording redaction: Redaction, substitute: @escaping (String) -> String) {
        self.init(redaction, substitute: substitute) { search, range, bytes in
            // Forms in JSON, and the arguments in the queries of GraphQL.
            if bytes.start(of: "<input", in: range) != nil
                || bytes.start(of: "<meta", in: range) != nil
            {
                var markup = MarkupSearch(search, bytes)
                return markup.edits(in: range)
            }
            let urls = search.edits(inReferences: range, of: bytes)
            return search.edits(inLines: range, of: bytes, isScript: true, urls: urls)
        }
    }

    /// Finds the secrets in a text by their names: markup, a script, a configuration or a log.
    func edits(inText range: Range<Int>, of bytes: [UInt8], isScript: Bool) -> [TextEdit] {
        let start = bytes.index(of: Self.noSpace, in: range)
        guard start < range.upperBound else { return [] }
        if bytes[start] == UInt8(ascii: "<"), !isScript {
            var markup = MarkupSearch(self, bytes)
            return markup.edits(in: range)
        }
        return edits(inLines: range, of: bytes, isScript: isScript)
    }

    /// Finds `name=value`, `name: value` and `"name": "value"`, and secrets in URLs.
    func edits(
        inLines range: Range<Int>, of bytes: [UInt8], isScript: Bool, urls: [TextEdit]? = nil
    ) -> [TextEdit] {
        var edits = urls ?? self.edits(inURLs: range, of: bytes)
        var found = edits[...]
        var index = range.lowerBound
        while true {
            let mark = bytes.index(of: Self.equalsOrColon, in: index..<range.upperBound)
            guard mark < range.upperBound else { return edits }
            index = mark + 1
            while let first = found.first, first.range.upperBound <= mark { found.removeFirst() }
            if let first = found.first, first.range.contains(mark) {
                index = first.range.upperBound
                continue
            }
            guard let name = name(before: mark, in: range, of: bytes),
                hidesValue(named: Array(bytes[name]))
            else { continue }
            if isQuoted(name, bytes),
                let secret = self.edits(
                    inSecretAt: bytes.index(of: Self.noSpace, in: index..<range.upperBound),
                    in: range, of: bytes)
            {
                edits += secret.edits
                index = secret.end
                continue
            }
            guard
                let value = value(after: mark, of: name, in: range, of: bytes, isScript: isScript)
            else { continue }
            // The search for URLs resolves percent escapes.
            if let first = found.first, first.range.lowerBound <= value.lowerBound,
                value.upperBound <= first.range.upperBound
            {
                index = first.range.upperBound
                continue
            }
            let secret = UnescapedText(json: value, of: bytes).bytes
            let isNumber = !isQuoted(value, bytes) && (isScript || isQuoted(name, bytes))
            edits.append(
                TextEdit(
                    value,
                    isNumber ? number(inPlaceOf: bytes[value]) : replacement(for: secret)))
            index = value.upperBound
        }
    }

    /// Finds the secrets in those words that are URLs.
    ///
    /// Code has the characters of a query too.
    private func edits(inURLs range: Range<Int>, of bytes: [UInt8]) -> [TextEdit] {
        var edits: [TextEdit] = []
        var index = range.lowerBound
        while true {
            let mark = bytes.index(of: Self.marks, in: index..<range.upperBound)
            guard mark < range.upperBound else { return edits }
            let end = bytes.index(of: Self.ends, in: mark..<range.upperBound)
            var start = mark
            while start > index, !Self.ends.contains(bytes[start - 1]) { start -= 1 }
            let isURL =
                bytes[start] == UInt8(ascii: "/") || bytes[start] == UInt8(ascii: "?")
                || bytes.start(of: "://", in: start..<end) != nil
            if isURL { edits += self.edits(inReferences: start..<end, of: bytes) }
            index = end
        }
    }

    private func name(before mark: Int, in range: Range<Int>, of bytes: [UInt8]) -> Range<Int>? {
        var end = mark
        func skip(_ set: ByteSet, atMost count: Int = .max) {
            let limit = count == .max ? range.lowerBound : max(range.lowerBound, end - count)
            while end > limit, set.contains(bytes[end - 1]) { end -= 1 }
        }
        skip(Self.blank)
        skip(Self.bracket, atMost: 1)
        skip(Self.quote, atMost: 1)
        skip(Self.backslash)
        var start = end
        while start > range.lowerBound, Self.nameByte.contains(bytes[start - 1]) { start -= 1 }
        return (1...100).contains(end - start) ? start..<end : nil
    }

    private func value(
        after mark: Int, of name: Range<Int>, in range: Range<Int>, of bytes: [UInt8],
        isScript: Bool
    ) -> Range<Int>? {
        let isColon = bytes[mark] == UInt8(ascii: ":")
        var start = mark + 1
        if !isColon, start < range.upperBound {
            if bytes[start] == UInt8(ascii: "=") { return nil }
            if bytes[start] == UInt8(ascii: ">") { start += 1 }
        }
        let rest = start..<range.upperBound
        start = bytes.index(of: isQuoted(name, bytes) ? Self.noSpace : Self.noBlank, in: rest)
        if let content = quoted(at: start, in: range, of: bytes) {
            return content.isEmpty ? nil : content
        }
        if isScript || isQuoted(name, bytes) {
            let end = bytes.index(of: Self.noDigit, in: start..<range.upperBound)
            let isNumber = end == range.upperBound || !Self.nameByte.contains(bytes[end])
            return start < end && isNumber ? start..<end : nil
        }
        let startsLine = startsLine(name.lowerBound, in: range, of: bytes)
        if isColon {
            guard startsLine else { return nil }
            let value = bytes.trimming(
                .space, beforeEndTag(start, Self.endsOfLine, in: range, of: bytes))
            return value.isEmpty ? nil : value
        }
        let isAdjacent = start == mark + 1 && name.upperBound == mark
        if startsLine, isAdjacent {
            // A setting, such as `PASSWORD=a(b)`.
            let value = beforeEndTag(start, Self.endsOfSetting, in: range, of: bytes)
            return value.isEmpty ? nil : value
        }
        guard startsLine || isAdjacent else { return nil }
        let end = bytes.index(of: Self.endsOfValue, in: start..<range.upperBound)
        let isCall = end < range.upperBound && bytes[end] == UInt8(ascii: "(")
        return start < end && !isCall ? start..<end : nil
    }

    /// Returns the range up to a byte of a set or an end tag.
    private func beforeEndTag(
        _ start: Int, _ ends: ByteSet, in range: Range<Int>, of bytes: [UInt8]
    ) -> Range<Int> {
        let end = bytes.index(of: ends, in: start..<range.upperBound)
        return start..<(bytes.start(of: "</", in: start..<end) ?? end)
    }

    /// Returns the content of a string, or `nil` if no quote starts there.
    ///
    /// Inside of another string, a backslash precedes each quote.
    private func quoted(at index: Int, in range: Range<Int>, of bytes: [UInt8]) -> Range<Int>? {
        let start = bytes.index(of: Self.noBackslash, in: index..<range.upperBound)
        guard start < range.upperBound, Self.quote.contains(bytes[start]) else { return nil }
        let depth = start - index
        var end = start + 1
        while end < range.upperBound {
            if bytes[end] == bytes[start] { return (start + 1)..<end }
            if bytes[end] == UInt8(ascii: "\n") { break }
            if bytes[end] == UInt8(ascii: "\\") {
                let next = bytes.index(of: Self.noBackslash, in: end..<range.upperBound)
                // An escaped backslash has twice as many as the quote has, and two.
                let count = (next - end) % (2 * depth + 2)
                if depth > 0, count <= depth, next < range.upperBound, bytes[next] == bytes[start] {
                    return (start + 1)..<(next - count)
                }
                // A backslash after an even number of others escapes the next byte.
                end += (next - end + 1) / 2 * 2
                continue
            }
            end += 1
        }
        return (start + 1)..<min(end, range.upperBound)
    }

    private func isQuoted(_ range: Range<Int>, _ bytes: [UInt8]) -> Bool {
        range.lowerBound > 0 && Self.quote.contains(bytes[range.lowerBound - 1])
    }

    private func startsLine(_ index: Int, in range: Range<Int>, of bytes: [UInt8]) -> Bool {
        var index = index
        while index > range.lowerBound, Self.blank.contains(bytes[index - 1]) { index -= 1 }
        return index == range.lowerBound || Self.startsOfLine.contains(bytes[index - 1])
    }

    private static let noSpace = ByteSet.space.inverted
    private static let blank = ByteSet(" \t")
    private static let noBlank = ByteSet(" \t").inverted
    private static let bracket = ByteSet("]")
    private static let quote = ByteSet("\"'`")
    private static let backslash = ByteSet("\\")
    private static let noBackslash = ByteSet("\\").inverted
    private static let noDigit = ByteSet.digits.inverted
    private static let equalsOrColon = ByteSet("=:")
    private static let startsOfLine = ByteSet("\n\r>-*#")
    private static let endsOfLine = ByteSet("\n\r")
    private static let endsOfSetting = ByteSet(" \n\r\t&;,")
    private static let marks = ByteSet("?#@;")
    private static let ends = ByteSet(" \n\r\t\u{B}\u{C}<>\"'`\\|()")
    private static let endsOfValue = ByteSet(" \n\r\t\u{B}\u{C}<>\"'`\\|()&;,[]{}")
    private static let nameByte = ByteSet {
        $0 >= 0x80 || "_-.".utf8.contains($0) || ByteSet.digits.contains($0)
            || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
    }
}
