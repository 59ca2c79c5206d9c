// Any text that is not JSON: URLs, forms, event streams, log lines, YAML, markup and scripts.

extension Replacer {
    /// Replaces secrets that are known by themselves, and values after their names, in one pass.
    ///
    /// A plus sign is a space in a form.
    func plainText(_ bytes: [UInt8], isForm: Bool = false) -> [UInt8]? {
        var (result, values) = (ReplacedText(bytes), Values(bytes: bytes, isForm: isForm))
        var (index, word) = (0, 0..<0)
        while true {
            index = bytes.index(of: .stops, in: index..<bytes.count)
            guard index < bytes.count else { return result.bytes }
            let isWord = ByteSet.wordStarts.contains(bytes[index])
            if isWord || "-/".utf8.contains(bytes[index]), redaction.hidesSecrets,
                let (secret, kind) = KnownSecret.place(at: index, of: bytes)
            {
                result.replace(secret, with: replacement(bytes[secret].text, kind).utf8)
                index = secret.upperBound
            } else if isWord {
                word = index..<bytes.index(of: .noWord, in: index..<bytes.count)
                index = word.upperBound
            } else if let line = bytes.json(inLineAt: index), let inner {
                if let new = inner.text(Array(bytes[line])) { result.replace(line, with: new) }
                index = line.upperBound
            } else if let place = bytes.name(word, before: index) {
                let name = bytes[place].percentDecoded().text
                let secrecy = secrecy(of: name)
                let value = values.value(after: index, of: place, isLong: secrecy >= .certain)
                index = max(index + 1, value.range.lowerBound)
                if value.hasEscapes, let inner {
                    let plain = bytes[value.range].percentDecoded(plusIsSpace: isForm)
                    let new = inner.value(plain, named: name, secrecy)
                    if let new { result.replace(value.range, with: new.percentEncoded) }
                    index = value.range.upperBound
                } else if isSecret(Array(bytes[value.range].prefix(512)), secrecy) {
                    let new = secret(Array(bytes[value.range]), named: name)
                    result.replace(value.range, with: value.isItem ? new.percentEncoded : new)
                    index = value.range.upperBound
                }
            } else {
                index += 1
            }
        }
    }
}

/// The values after the names in a text.
private struct Values {
    let bytes: [UInt8]
    let isForm: Bool
    /// The next byte of each set, so that text whose values contain each other takes linear time.
    var ends = [Int](repeating: -1, count: 6)

    /// Returns the value after a separator, which is empty for code such as `load()`.
    ///
    /// A long value after a name and a colon at the start of a line, as in YAML, ends with the line.
    mutating func value(
        after mark: Int, of name: Range<Int>, isLong: Bool
    ) -> (range: Range<Int>, isItem: Bool, hasEscapes: Bool) {
        let isEqual = bytes[mark] == UInt8(ascii: "=")
        let before = name.lowerBound > 0 ? bytes[name.lowerBound - 1] : 0
        if isEqual, mark == name.upperBound, isForm || "?&#;".utf8.contains(before) {
            let start = mark + 1
            let end = next(isForm ? .form : .item, from: start)
            return (start..<end, true, isForm || next(.percent, from: start) < end)
        }
        let isElement = bytes[mark] == UInt8(ascii: ">")
        let start = bytes.index(of: isElement ? .noSpace : .noGap, in: (mark + 1)..<bytes.count)
        if isElement, bytes.hasText("<![CDATA[", at: next(.element, from: start)) {
            return (bytes.characterData(from: start), false, false)
        }
        let text = bytes.index(of: .noSpace, in: start..<bytes.count)
        let quote = bytes.hasText("\\", at: text) ? text + 1 : text
        if bytes.hasText("\"", at: quote) || bytes.hasText("'", at: quote) {
            let end =
                quote > text
                ? bytes.index(of: .quotes, in: (quote + 1)..<bytes.count)
                : bytes[...].endOfString(from: quote)
            return ((quote + 1)..<max(quote + 1, end), false, false)
        }
        let isLine =
            isLong && bytes[mark] == UInt8(ascii: ":") && bytes.isStartOfLine(name.lowerBound)
        let end = next(isElement ? .element : isLine ? .line : .text, from: start)
        let isCode = bytes.hasText("(", at: end) || start < end && "{[$".utf8.contains(bytes[start])
        return (start..<(isCode ? start : end), false, isEqual && next(.percent, from: start) < end)
    }

    private mutating func next(_ end: End, from start: Int) -> Int {
        if ends[end.rawValue] < start {
            ends[end.rawValue] = bytes.index(of: Self.sets[end.rawValue], in: start..<bytes.count)
        }
        return ends[end.rawValue]
    }

    private enum End: Int { case form, item, text, line, element, percent }
    private static let sets = [
        "&", "&#?; \n\r\t\"'<>`", " \n\r\t&;,\"'<>()}]`\\", "\n\r\"<", "<", "%",
    ].map(ByteSet.init)
}

extension [UInt8] {
    /// Returns the place of the name before a separator: the word, or the name of an element.
    ///
    /// A word between colons is a part of a longer text, such as an AWS resource name.
    fileprivate func name(_ word: Range<Int>, before mark: Int) -> Range<Int>? {
        let isColon = self[mark] == UInt8(ascii: ":")
        if isColon || self[mark] == UInt8(ascii: "=") {
            let isPart = isColon && hasText(":", at: word.lowerBound - 1)
            let isName =
                !word.isEmpty && !isPart && mark - word.upperBound <= 8
                && self[word.upperBound..<mark].allSatisfy("\"'\\ \t]".utf8.contains)
            return isName ? word : nil
        }
        guard self[mark] == UInt8(ascii: ">") else { return nil }
        // An attribute such as `name="password"` names the content of its element.
        let isValue =
            hasText("key=\"", at: word.lowerBound - 5)
            || hasText("name=\"", at: word.lowerBound - 6)
        if isValue, word.upperBound == mark - 1 { return word }
        let tag = self[Swift.max(0, mark - 160)..<mark]
        guard let start = tag.lastIndex(of: UInt8(ascii: "<")) else { return nil }
        let prefix = index(of: .noWord, in: (start + 1)..<mark)
        let name = hasText(":", at: prefix) ? prefix + 1 : start + 1
        return name..<index(of: .noWord, in: name..<mark)
    }

    /// Returns the content of an element with CDATA sections, or of its only one (XML 1.0, section 2.7).
    fileprivate func characterData(from start: Int) -> Range<Int> {
        var (end, only) = (index(of: .tags, in: start..<count), nil as Range<Int>?)
        while hasText("<![CDATA[", at: end) {
            let content = end + 9
            var close = content
            repeat {
                close = index(of: .brackets, in: close..<count)
                if close == count || hasText("]]>", at: close) { break }
                close += 1
            } while true
            only = end == start ? content..<close : nil
            end = index(of: .tags, in: Swift.min(close + 3, count)..<count)
        }
        while end > start, ByteSet.space.contains(self[end - 1]) { end -= 1 }
        return only.flatMap { $0.upperBound + 3 >= end ? $0 : nil } ?? start..<end
    }

    /// Returns the rest of a line if it is JSON, such as a data field of an event stream.
    fileprivate func json(inLineAt index: Int) -> Range<Int>? {
        let start = hasText("data: ", at: index - 6) ? index - 6 : index
        guard "{[".utf8.contains(self[index]), isStartOfLine(start) else { return nil }
        let line = index..<self.index(of: .lineBreaks, in: index..<count)
        return self[line].isJSON ? line : nil
    }

    /// Returns whether only blanks and the dash of a list are before an index in its line.
    fileprivate func isStartOfLine(_ index: Int) -> Bool {
        let before = self[Swift.max(0, index - 40)..<index].last { !" \t-".utf8.contains($0) }
        return before.map(ByteSet.lineBreaks.contains) ?? true
    }
}

extension ByteSet {
    fileprivate static let wordStarts = ByteSet { alphanumerics.contains($0) || $0 >= 0x80 }
        .union("_%")
    fileprivate static let noWord = wordStarts.union("-.$[]").inverted
    fileprivate static let stops = wordStarts.union("-/{[:=>")
    fileprivate static let noSpace = space.inverted
    fileprivate static let noGap = ByteSet(":=> \t").inverted
    fileprivate static let tags = ByteSet("<")
    fileprivate static let brackets = ByteSet("]")
    fileprivate static let quotes = ByteSet("\"'\\")
}
