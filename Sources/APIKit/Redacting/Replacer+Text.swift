// Any text that is not JSON: URLs, forms, event streams, log lines, YAML, markup and scripts.

extension Replacer {
    /// Replaces secrets that are known by themselves, and values after their names, in one pass.
    ///
    /// In a form, a plus sign stands for a space.
    func plainText(_ bytes: [UInt8], isForm: Bool = false) -> [UInt8]? {
        var (result, names) = (ReplacedText(bytes), Names(bytes: bytes))
        var (values, index) = (Values(bytes: bytes, isForm: isForm), 0)
        while true {
            index = bytes.index(of: .stops, in: index..<bytes.count)
            guard index < bytes.count else { return result.bytes }
            let isWord = ByteSet.wordStarts.contains(bytes[index])
            if isWord || ByteSet.starts.contains(bytes[index]), redaction.hidesSecrets,
                let (secret, kind) = KnownSecret.place(at: index, of: bytes)
            {
                result.replace(secret, with: replacement(bytes[secret].text, kind).utf8)
                index = secret.upperBound
            } else if isWord {
                index = names.readWord(at: index)
            } else if let line = bytes.json(inLineAt: index), let inner {
                if let new = inner.text(Array(bytes[line])) { result.replace(line, with: new) }
                index = line.upperBound
            } else if let word = names.name(before: index) {
                let name = bytes[word].percentDecoded().text
                let secrecy = secrecy(of: name)
                let isLong = secrecy >= .digits || Self.isFieldName(name)
                let value = values.value(after: index, of: word, isLong: isLong)
                let (isSearched, new) = search(value, in: values, named: name, secrecy)
                if let new { result.replace(value.range, with: new) }
                index = isSearched ? value.range.upperBound : max(index + 1, value.range.lowerBound)
            } else {
                index += 1
            }
        }
    }

    /// Returns the text in place of a value, and whether the value has been searched to its end.
    private func search(
        _ value: Values.Value, in values: Values, named name: String, _ secrecy: Secrecy
    ) -> (isSearched: Bool, new: [UInt8]?) {
        let text = values.bytes[value.range]
        if value.hasEscapes, let inner {
            let plain = text.percentDecoded(plusIsSpace: values.isForm)
            return (true, inner.value(plain, named: name, secrecy)?.percentEncoded)
        }
        if Self.isFieldName(name), isField(name, Array(text)) {
            return (true, header(name, Array(text)))
        }
        // The start is enough to judge a long value.
        guard secrecy > .none, isSecret(Array(text.prefix(512)), secrecy) else {
            return (false, nil)
        }
        let new = secret(Array(text), named: name)
        return (true, value.isItem ? new.percentEncoded : new)
    }
}

/// The names in a text.
private struct Names {
    let bytes: [UInt8]
    var word = 0..<0
    /// The name of the element whose tag is open, without its prefix.
    var element: Range<Int>?

    /// Reads the word at an index, and returns its end.
    mutating func readWord(at start: Int) -> Int {
        word = start..<bytes.index(of: .noWord, in: start..<bytes.count)
        let isAfterPrefix = element?.upperBound == start - 1 && bytes.hasText(":", at: start - 1)
        if isAfterPrefix || bytes.hasText("<", at: start - 1) { element = word }
        return word.upperBound
    }

    /// Returns the name of the value after a mark: an equals sign, a colon or the end of a tag.
    ///
    /// A word between colons is a part of a longer text, such as an AWS resource name. A variable before
    /// a colon has a type, as in GraphQL.
    mutating func name(before mark: Int) -> Range<Int>? {
        if bytes[mark] == UInt8(ascii: ">") {
            defer { element = nil }
            return bytes.hasText("/", at: mark - 1) ? nil : element
        }
        let (isColon, before) = (bytes[mark] == UInt8(ascii: ":"), word.lowerBound - 1)
        let isPart = isColon && (bytes.hasText(":", at: before) || bytes.hasText("$", at: before))
        guard isColon || bytes[mark] == UInt8(ascii: "="), !isPart, !word.isEmpty,
            mark - word.upperBound <= 8,
            bytes[word.upperBound..<mark].allSatisfy("\"'\\ \t]".utf8.contains)
        else { return nil }
        return word
    }
}

/// The values after the names in a text.
private struct Values {
    /// A value, whether it is an item of a query or a form, and whether it is percent-encoded.
    typealias Value = (range: Range<Int>, isItem: Bool, hasEscapes: Bool)

    let bytes: [UInt8]
    let isForm: Bool
    /// The next byte of each set, so that text whose values contain each other takes linear time.
    var ends = [Int](repeating: -1, count: 6)

    /// Returns the value after a mark, which is empty for code such as `load()`.
    ///
    /// A long value after a name and a colon at the start of a line, as in YAML, ends with the line.
    mutating func value(after mark: Int, of name: Range<Int>, isLong: Bool) -> Value {
        if bytes[mark] == UInt8(ascii: ">") {
            return (bytes.trimmed((mark + 1)..<next(.tag, from: mark + 1)), false, false)
        }
        let isEqual = bytes[mark] == UInt8(ascii: "=")
        let before = name.lowerBound > 0 ? bytes[name.lowerBound - 1] : 0
        let isQuoted = bytes.hasText("\"", at: mark + 1)
        if isEqual, mark == name.upperBound, isForm || "?&#;".utf8.contains(before) && !isQuoted {
            let start = mark + 1
            let end = next(isForm ? .form : .item, from: start)
            return (start..<end, true, isForm || next(.percent, from: start) < end)
        }
        let start = bytes.index(of: .noGap, in: (mark + 1)..<bytes.count)
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
        let end = next(isLine ? .line : .text, from: start)
        let isCode = bytes.hasText("(", at: end) || start < end && "{[$".utf8.contains(bytes[start])
        let hasEscapes = isEqual && next(.percent, from: start) < end
        return (start..<(isCode ? start : end), false, hasEscapes)
    }

    private mutating func next(_ end: End, from start: Int) -> Int {
        if ends[end.rawValue] < start {
            ends[end.rawValue] = bytes.index(of: Self.sets[end.rawValue], in: start..<bytes.count)
        }
        return ends[end.rawValue]
    }

    private enum End: Int { case form, item, text, line, percent, tag }
    private static let sets = [
        "&", "&#?; \n\r\t\"'<>`", " \n\r\t&;,\"'<>()}]`\\", "\n\r\"<", "%", "<",
    ].map(ByteSet.init)
}

extension [UInt8] {
    /// Returns the rest of a line if it is JSON, such as a data field of an event stream.
    fileprivate func json(inLineAt index: Int) -> Range<Int>? {
        let start = hasText("data: ", at: index - 6) ? index - 6 : index
        guard ByteSet.opens.contains(self[index]), isStartOfLine(start) else { return nil }
        let line = index..<self.index(of: .lineBreaks, in: index..<count)
        return self[line].isJSON ? line : nil
    }

    /// Returns whether only blanks and the dash of a list are before an index in its line.
    fileprivate func isStartOfLine(_ index: Int) -> Bool {
        let before = self[Swift.max(0, index - 40)..<index].last { !" \t-".utf8.contains($0) }
        return before.map(ByteSet.lineBreaks.contains) ?? true
    }

    /// Returns a range without the white space at its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        let start = index(of: .noSpace, in: range)
        let last = self[start..<range.upperBound].lastIndex { !ByteSet.space.contains($0) }
        return start..<(last.map { $0 + 1 } ?? start)
    }
}

extension ByteSet {
    fileprivate static let wordStarts = ByteSet { alphanumerics.contains($0) || $0 >= 0x80 }
        .union("_%")
    fileprivate static let noWord = wordStarts.union("-.$[]").inverted
    fileprivate static let stops = wordStarts.union("-/{[:=>")
    fileprivate static let noGap = ByteSet(":=> \t").inverted
    fileprivate static let starts = ByteSet("-/")
    fileprivate static let opens = ByteSet("{[")
    fileprivate static let quotes = ByteSet("\"'\\")
    fileprivate static let noSpace = space.inverted
}
