/// The names of the values in markup, such as XML and HTML.
///
/// An element names its content, and an attribute its value. The text of a `name` or a `key` names the
/// `value` beside it.
struct Markup {
    let bytes: [UInt8]
    /// The last tag after its name, up to its `>`.
    private var tag = 0..<0
    /// The name of the tag without its prefix.
    private var element = 0..<0
    /// The text of the attribute `name` or `key` of the tag.
    private var label: Range<Int>?
    /// The name of the content of an element such as `value`, whose own name says nothing.
    private var outer = 0..<0
    /// Whether a comment or a CDATA section has no end, so that no other one is searched for its end.
    private var isCut = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns whether a mark is in the last tag.
    func isInTag(_ mark: Int) -> Bool { tag.contains(mark) }

    /// Reads the tag that an angle bracket starts, if there is one.
    mutating func readTag(at bracket: Int) {
        let isEnd = bytes.hasText("/", at: bracket + 1)
        let start = bracket + (isEnd ? 2 : 1)
        let end = bytes.index(of: .noTagName, in: start..<bytes.count)
        // A URL in angle brackets is no tag.
        guard start < end, end < bytes.count, ByteSet.endsOfTagName.contains(bytes[end]),
            !bytes.hasText("//", at: end), let close = endOfTag(from: end)
        else { return }
        let colon = bytes[start..<end].lastIndex(of: UInt8(ascii: ":"))
        element = (colon.map { $0 + 1 } ?? start)..<end
        tag = isEnd ? 0..<0 : end..<close
        label = attributeLabel()
        if isEnd, !Self.values.contains(elementName), !Self.labels.contains(elementName) {
            outer = 0..<0
        }
    }

    /// Returns the name of the value after a mark: the end of a tag, an equals sign or a colon.
    mutating func name(_ word: Range<Int>, before mark: Int) -> Range<Int>? {
        if mark == tag.upperBound, mark > 0 { return nameOfContent() }
        let name = bytes.name(word, before: mark)
        guard let label, let name, isInTag(mark) else { return name }
        return Self.values.contains(bytes[name].text.lowercased()) ? label : name
    }

    private mutating func nameOfContent() -> Range<Int>? {
        let end = tag.upperBound
        tag = 0..<0
        if bytes.hasText("/", at: end - 1) || Self.emptyElements.contains(elementName) {
            return nil
        }
        if Self.labels.contains(elementName) {
            outer = (end + 1)..<bytes.index(of: .tags, in: (end + 1)..<bytes.count)
            return element
        }
        if !Self.values.contains(elementName) || label != nil { outer = label ?? element }
        return outer
    }

    /// Returns the content of an element up to the next tag, and whether it is plain.
    ///
    /// It has no space around it. Of an only CDATA section, it is the text (XML 1.0, section 2.7).
    mutating func content(after mark: Int) -> (range: Range<Int>, isPlain: Bool) {
        let start = bytes.index(of: .noSpace, in: (mark + 1)..<bytes.count)
        var end = bytes.index(of: .tags, in: start..<bytes.count)
        var (isPlain, only) = (true, nil as Range<Int>?)
        while true {
            let isData = bytes.hasText("<![CDATA[", at: end)
            guard isData || bytes.hasText("<!--", at: end) else { break }
            var close = isCut ? bytes.count : end + (isData ? 9 : 4)
            while close < bytes.count, !bytes.hasText(isData ? "]]>" : "-->", at: close) {
                close = bytes.index(of: .sectionMarks, in: (close + 1)..<bytes.count)
            }
            isCut = close == bytes.count
            only = isData && end == start ? (end + 9)..<close : nil
            isPlain = false
            end = bytes.index(of: .tags, in: min(close + 3, bytes.count)..<bytes.count)
        }
        while end > start, ByteSet.space.contains(bytes[end - 1]) { end -= 1 }
        if let only, only.upperBound + 3 >= end { return (only, false) }
        return (start..<end, isPlain)
    }

    private var elementName: String { bytes[element].text.lowercased() }

    /// Returns the value of the attribute `name` or `key` of the tag, if it has one.
    private func attributeLabel() -> Range<Int>? {
        var mark = bytes.index(of: .equals, in: tag)
        while mark < tag.upperBound {
            let length =
                bytes.hasText("name", at: mark - 4) ? 4 : bytes.hasText("key", at: mark - 3) ? 3 : 0
            if length > 0, ByteSet.space.contains(bytes[mark - length - 1]) {
                let start = bytes.index(of: .noQuote, in: (mark + 1)..<bytes.count)
                return start..<bytes.index(of: .endsOfAttribute, in: start..<bytes.count)
            }
            mark = bytes.index(of: .equals, in: (mark + 1)..<tag.upperBound)
        }
        return nil
    }

    /// Returns the end of a tag, which an attribute can contain too.
    private func endOfTag(from start: Int) -> Int? {
        var index = start
        while true {
            index = bytes.index(of: .marksInTag, in: index..<bytes.count)
            guard index < bytes.count, bytes[index] != UInt8(ascii: "<") else { return nil }
            if bytes[index] == UInt8(ascii: ">") { return index }
            let isDouble = bytes[index] == UInt8(ascii: "\"")
            index = bytes.index(of: isDouble ? .double : .single, in: (index + 1)..<bytes.count)
            index = min(index + 1, bytes.count)
        }
    }

    private static let labels: Set = ["name", "key"]
    private static let values: Set = ["value", "content", "string"]
    private static let emptyElements: Set = ["input", "meta"]
}

extension ByteSet {
    private static let tagName = ByteSet { alphanumerics.contains($0) || $0 >= 0x80 }.union("_-.:")
    fileprivate static let noTagName = tagName.inverted
    fileprivate static let endsOfTagName = space.union("/>")
    fileprivate static let endsOfAttribute = space.union("\"'<>")
    fileprivate static let equals = ByteSet("=")
    fileprivate static let marksInTag = ByteSet("\"'<>")
    fileprivate static let noQuote = space.union("\"'").inverted
    fileprivate static let sectionMarks = ByteSet("]-")
    fileprivate static let double = ByteSet("\"")
    fileprivate static let single = ByteSet("'")
    fileprivate static let tags = ByteSet("<")
    static let noSpace = space.inverted
}

extension Collection<UInt8> {
    /// The bytes without the entities of XML and with the characters of its numbers (XML 1.0, section 4).
    var entitiesDecoded: [UInt8] {
        var (plain, rest) = ([UInt8](), Array(self)[...])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "&"),
                let end = rest.prefix(9).firstIndex(of: UInt8(ascii: ";")),
                let character = Self.character(of: rest[..<end].text)
            else {
                plain.append(byte)
                continue
            }
            plain += Array(String(character).utf8)
            rest = rest[(end + 1)...]
        }
        return plain
    }

    private static func character(of entity: String) -> Character? {
        if let known = entities.first(where: { $0.name == entity }) { return known.character }
        let isHex = entity.hasPrefix("#x")
        guard entity.hasPrefix("#") else { return nil }
        return UInt32(entity.dropFirst(isHex ? 2 : 1), radix: isHex ? 16 : 10)
            .flatMap(Unicode.Scalar.init).map(Character.init)
    }
}

private let entities: [(name: String, character: Character)] = [
    ("amp", "&"), ("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"),
]

extension [UInt8] {
    /// The bytes with entities in place of the marks of XML.
    package var entitiesEncoded: [UInt8] {
        flatMap { byte -> [UInt8] in
            let entity = entities.first { $0.character.asciiValue == byte }
            return entity.map { Array("&\($0.name);".utf8) } ?? [byte]
        }
    }
}
