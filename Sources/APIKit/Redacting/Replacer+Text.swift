// Any text that is not JSON: URLs, forms, event streams, log lines, YAML, markup and scripts.

extension Replacer {
    /// Replaces secrets that are known by themselves, and values after their names, in one pass.
    ///
    /// A plus sign is a space in a form.
    func plainText(_ bytes: [UInt8], isForm: Bool = false) -> [UInt8]? {
        var (result, values) = (ReplacedText(bytes), Values(bytes: bytes, isForm: isForm))
        var (markup, index, word) = (Markup(bytes), 0, 0..<0)
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
                word = index..<bytes.index(of: .noWord, in: index..<bytes.count)
                index = word.upperBound
            } else if let line = bytes.json(inLineAt: index), let inner {
                if let new = inner.text(Array(bytes[line])) { result.replace(line, with: new) }
                index = line.upperBound
            } else if bytes[index] == UInt8(ascii: "<") {
                markup.readTag(at: index)
                index += 1
            } else if let place = markup.name(word, before: index) {
                let name = bytes[place].percentDecoded().text
                let (secrecy, isFieldName) = (secrecy(of: name), Self.isFieldName(name))
                let value =
                    bytes[index] == UInt8(ascii: ">")
                    ? values.content(after: index, in: &markup)
                    : values.value(
                        after: index, of: place,
                        isLong: secrecy >= .digits || isFieldName,
                        isInTag: markup.isInTag(index))
                index = max(index + 1, value.range.lowerBound)
                if value.escapes != .none, let inner {
                    let isPercent = value.escapes == .percent
                    let raw = bytes[value.range]
                    let plain =
                        isPercent ? raw.percentDecoded(plusIsSpace: isForm) : raw.entitiesDecoded
                    if let new = inner.value(plain, named: name, secrecy) {
                        let escaped = isPercent ? new.percentEncoded : new.entitiesEncoded
                        result.replace(value.range, with: escaped)
                    }
                    index = value.range.upperBound
                } else if isFieldName, isField(name, Array(bytes[value.range])) {
                    let new = header(name, Array(bytes[value.range]))
                    if let new { result.replace(value.range, with: new) }
                    index = value.range.upperBound
                } else if secrecy > .none,
                    isSecret(Array(bytes[value.range].prefix(512)), named: name, secrecy)
                {
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
    /// A value, whether it is an item of a query or a form, and how its characters are escaped.
    typealias Value = (range: Range<Int>, isItem: Bool, escapes: Escapes)
    enum Escapes { case none, percent, entities }

    let bytes: [UInt8]
    let isForm: Bool
    /// The next byte of each set, so that text whose values contain each other takes linear time.
    var ends = [Int](repeating: -1, count: 5)

    /// Returns the content of an element.
    func content(after mark: Int, in markup: inout Markup) -> Value {
        let (range, isPlain) = markup.content(after: mark)
        return (range, false, isPlain ? entities(in: range) : .none)
    }

    /// Returns the value after a separator, which is empty for code such as `load()`.
    ///
    /// A long value after a name and a colon at the start of a line, as in YAML, ends with the line.
    mutating func value(
        after mark: Int, of name: Range<Int>, isLong: Bool, isInTag: Bool
    ) -> Value {
        let isEqual = bytes[mark] == UInt8(ascii: "=")
        let before = name.lowerBound > 0 ? bytes[name.lowerBound - 1] : 0
        let isQuoted = bytes.hasText("\"", at: mark + 1)
        if isEqual, mark == name.upperBound, isForm || "?&#;".utf8.contains(before) && !isQuoted {
            let start = mark + 1
            let end = next(isForm ? .form : .item, from: start)
            let hasEscapes = isForm || next(.percent, from: start) < end
            return (start..<end, true, hasEscapes ? .percent : .none)
        }
        let start = bytes.index(of: .noGap, in: (mark + 1)..<bytes.count)
        let text = bytes.index(of: .noSpace, in: start..<bytes.count)
        let quote = bytes.hasText("\\", at: text) ? text + 1 : text
        if bytes.hasText("\"", at: quote) || bytes.hasText("'", at: quote) {
            let end =
                quote > text
                ? bytes.index(of: .quotes, in: (quote + 1)..<bytes.count)
                : bytes[...].endOfString(from: quote)
            let range = (quote + 1)..<max(quote + 1, end)
            return (range, false, isInTag ? entities(in: range) : .none)
        }
        let isLine =
            isLong && bytes[mark] == UInt8(ascii: ":") && bytes.isStartOfLine(name.lowerBound)
        let end = next(isLine ? .line : .text, from: start)
        let isCode = bytes.hasText("(", at: end) || start < end && "{[$".utf8.contains(bytes[start])
        let hasEscapes = isEqual && next(.percent, from: start) < end
        return (start..<(isCode ? start : end), false, hasEscapes ? .percent : .none)
    }

    /// Returns whether a text has entities, and not only the ampersands of a URL.
    private func entities(in range: Range<Int>) -> Escapes {
        let start = min(bytes.index(of: .ampersand, in: range) + 1, range.upperBound)
        let end = bytes.index(of: .endsOfEntity, in: start..<range.upperBound)
        return start < end && end < range.upperBound && bytes.hasText(";", at: end)
            ? .entities : .none
    }

    private mutating func next(_ end: End, from start: Int) -> Int {
        if ends[end.rawValue] < start {
            ends[end.rawValue] = bytes.index(of: Self.sets[end.rawValue], in: start..<bytes.count)
        }
        return ends[end.rawValue]
    }

    private enum End: Int { case form, item, text, line, percent }
    private static let sets = [
        "&", "&#?; \n\r\t\"'<>`", " \n\r\t&;,\"'<>()}]`\\", "\n\r\"<", "%",
    ].map(ByteSet.init)
}

extension [UInt8] {
    /// Returns the word before an equals sign or a colon, if it is a name.
    ///
    /// A word between colons is a part of a longer text, such as an AWS resource name. A variable before
    /// a colon has a type, as in GraphQL.
    func name(_ word: Range<Int>, before mark: Int) -> Range<Int>? {
        let isColon = self[mark] == UInt8(ascii: ":")
        guard isColon || self[mark] == UInt8(ascii: "="), !word.isEmpty else { return nil }
        let isPart =
            isColon
            && (hasText(":", at: word.lowerBound - 1) || hasText("$", at: word.lowerBound - 1))
        let isName =
            !isPart && mark - word.upperBound <= 8
            && self[word.upperBound..<mark].allSatisfy("\"'\\ \t]".utf8.contains)
        return isName ? word : nil
    }

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
}

extension ByteSet {
    fileprivate static let wordStarts = ByteSet { alphanumerics.contains($0) || $0 >= 0x80 }
        .union("_%")
    fileprivate static let noWord = wordStarts.union("-.$[]").inverted
    fileprivate static let stops = wordStarts.union("-/{[:=<>")
    fileprivate static let noGap = ByteSet(":=> \t").inverted
    fileprivate static let starts = ByteSet("-/")
    fileprivate static let opens = ByteSet("{[")
    fileprivate static let quotes = ByteSet("\"'\\")
    fileprivate static let ampersand = ByteSet("&")
    fileprivate static let endsOfEntity = ByteSet("; \n\r\t=&")
}
