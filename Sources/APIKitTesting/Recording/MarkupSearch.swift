import APIKit

/// A search for the secrets in HTML and XML, which also finds them in texts that are malformed.
struct MarkupSearch {
    private let search: SecretSearch
    private let bytes: [UInt8]
    private var edits: [TextEdit] = []
    /// The secret element that contains the current place, and how many of its name are open.
    private var secret: (name: [UInt8], count: Int)?
    /// The last key of a property list, whose value is the next element.
    private var key: [UInt8]?
    private var isPropertyList = false

    private struct Attribute {
        let name: String
        let value: Range<Int>
    }

    init(_ search: SecretSearch, _ bytes: [UInt8]) {
        self.search = search
        self.bytes = bytes
    }

    mutating func edits(in range: Range<Int>) -> [TextEdit] {
        var index = range.lowerBound
        while index < range.upperBound {
            let start = bytes.index(of: Self.lessThan, in: index..<range.upperBound)
            text(index..<start, isScript: false)
            let rest = start..<range.upperBound
            if bytes.hasText("<!--", at: start) {
                let end = bytes.start(of: "-->", in: rest) ?? range.upperBound
                plainText(min(start + 4, end)..<end, isScript: false)
                index = min(end + 3, range.upperBound)
            } else if bytes.hasText("<![CDATA[", at: start) {
                let end = bytes.start(of: "]]>", in: rest) ?? range.upperBound
                text(min(start + 9, end)..<end, isScript: false)
                index = min(end + 3, range.upperBound)
            } else if start < range.upperBound {
                index = tag(rest)
            } else {
                index = start
            }
        }
        return edits
    }

    private mutating func text(_ range: Range<Int>, isScript: Bool) {
        let content = bytes.trimming(.space, range)
        guard !content.isEmpty else { return }
        if secret != nil {
            replace(content, isElement: true)
        } else if isPropertyList, key?.isEmpty == true {
            key = Array(bytes[content])
        } else {
            plainText(content, isScript: isScript)
        }
    }

    private mutating func plainText(_ range: Range<Int>, isScript: Bool) {
        edits +=
            search.edits(inJSON: range, of: bytes)
            ?? search.edits(inLines: range, of: bytes, isScript: isScript)
    }

    private mutating func replace(_ range: Range<Int>, isElement: Bool = false) {
        guard !range.isEmpty else { return }
        let isNumber = isElement && bytes.index(of: Self.noDigit, in: range) == range.upperBound
        let plain = UnescapedText(markup: range, of: bytes).bytes
        edits.append(
            TextEdit(
                range,
                isNumber ? search.number(inPlaceOf: bytes[range]) : search.replacement(for: plain)))
    }

    /// Reads a tag, and returns its end.
    private mutating func tag(_ range: Range<Int>) -> Int {
        var index = range.lowerBound + 1
        let isEnd = index < range.upperBound && bytes[index] == UInt8(ascii: "/")
        if isEnd { index += 1 }
        let nameStart = index
        index = bytes.index(of: Self.endsOfName, in: index..<range.upperBound)
        let name = Array(bytes[nameStart..<index])
        guard let first = name.first, Self.letter.contains(first) else {
            return name.isEmpty ? nameStart : endOfTag(from: index, in: range)
        }
        let lowercased = String(decoding: name, as: UTF8.self).lowercased()
        let attributes: [Attribute]
        (attributes, index) = self.attributes(index..<range.upperBound)
        let isEmpty = bytes[index - 1] == UInt8(ascii: "/")
        let end = endOfTag(from: index, in: range)
        if isEnd {
            if secret?.name == name { secret?.count -= 1 }
            if secret?.count == 0 { secret = nil }
            return end
        }
        let isNamed = search(attributes)
        if lowercased == "plist" { isPropertyList = true }
        if lowercased == "script", !isEmpty { return script(end..<range.upperBound) }
        if isPropertyList, lowercased == "key" {
            key = []
        } else if isEmpty {
            key = nil
        } else if secret?.name == name {
            secret?.count += 1
        } else if secret == nil {
            let isSecret = isNamed && Self.namedElements.contains(lowercased)
            if isSecret || search.hidesValue(named: key ?? name) { secret = (name, 1) }
            key = nil
        }
        return end
    }

    /// Searches the text up to the end tag of a script, and returns its end.
    private mutating func script(_ range: Range<Int>) -> Int {
        var end = range.lowerBound
        while true {
            end = bytes.start(of: "</", in: end..<range.upperBound) ?? range.upperBound
            let name = bytes[end..<range.upperBound].dropFirst(2).prefix(6)
            if name.isEmpty || String(decoding: name, as: UTF8.self).lowercased() == "script" {
                break
            }
            end += 2
        }
        text(range.lowerBound..<end, isScript: true)
        return end
    }

    /// Searches attributes, and returns whether they name a secret.
    private mutating func search(_ attributes: [Attribute]) -> Bool {
        let hasValue = attributes.contains { $0.name == "value" }
        let isSecret = attributes.contains {
            let value = Array(bytes[$0.value])
            return switch $0.name {
            case "name", "property", "id", "itemprop": search.hidesItem(named: value)
            case "key": hasValue && search.hidesItem(named: value)
            case "type": String(decoding: value, as: UTF8.self).lowercased() == "password"
            default: false
            }
        }
        for attribute in attributes {
            if isSecret && ["value", "content"].contains(attribute.name)
                || attribute.name != "accesskey"
                    && !(isSecret && hasValue && attribute.name == "key")
                    && search.hidesValue(named: Array(attribute.name.utf8))
            {
                replace(attribute.value)
                continue
            }
            let plain = UnescapedText(markup: attribute.value, of: bytes)
            let found = search.edits(inValue: 0..<plain.bytes.count, of: plain.bytes)
            edits += found.map { TextEdit(plain.source(of: $0.range), $0.text) }
        }
        return isSecret
    }

    private func endOfTag(from index: Int, in range: Range<Int>) -> Int {
        let end = bytes.index(of: Self.greaterThan, in: index..<range.upperBound)
        return min(end + 1, range.upperBound)
    }

    /// Reads the attributes of a tag up to its end.
    private func attributes(_ range: Range<Int>) -> ([Attribute], Int) {
        var attributes: [Attribute] = []
        var index = range.lowerBound
        while true {
            index = bytes.index(of: Self.startsOfAttribute, in: index..<range.upperBound)
            guard index < range.upperBound, bytes[index] != UInt8(ascii: ">") else {
                return (attributes, index)
            }
            let end = bytes.index(of: Self.endsOfAttribute, in: (index + 1)..<range.upperBound)
            let name = String(decoding: bytes[index..<end], as: UTF8.self).lowercased()
            index = bytes.index(of: Self.noSpace, in: end..<range.upperBound)
            guard index < range.upperBound, bytes[index] == UInt8(ascii: "=") else { continue }
            index = bytes.index(of: Self.noSpace, in: (index + 1)..<range.upperBound)
            guard index < range.upperBound else { return (attributes, index) }
            let quote = bytes[index]
            if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                let set = quote == UInt8(ascii: "'") ? Self.singleQuote : Self.doubleQuote
                let end = bytes.index(of: set, in: (index + 1)..<range.upperBound)
                attributes.append(Attribute(name: name, value: (index + 1)..<end))
                index = min(end + 1, range.upperBound)
            } else {
                let end = bytes.index(of: Self.endsOfBareValue, in: index..<range.upperBound)
                attributes.append(Attribute(name: name, value: index..<end))
                index = end
            }
        }
    }

    /// Elements whose attributes name their text.
    private static let namedElements: Set = ["textarea", "string", "property", "field", "entry"]
    private static let lessThan = ByteSet("<")
    private static let greaterThan = ByteSet(">")
    private static let noSpace = ByteSet.space.inverted
    private static let noDigit = ByteSet("0123456789").inverted
    private static let letter = ByteSet {
        (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F || $0 >= 0x80
    }
    private static let endsOfName = ByteSet(" \n\r\t/><")
    private static let startsOfAttribute = ByteSet(" \n\r\t/").inverted
    private static let endsOfAttribute = ByteSet(" \n\r\t/>=")
    private static let endsOfBareValue = ByteSet(" \n\r\t>")
    private static let singleQuote = ByteSet("'")
    private static let doubleQuote = ByteSet("\"")
}

extension UnescapedText {
    /// Resolves the character references in HTML or XML that can occur in JSON, URLs and tokens.
    init(markup range: Range<Int>, of source: [UInt8]) {
        self.init()
        var (start, index) = (range.lowerBound, range.lowerBound)
        while true {
            index = source.index(of: ampersand, in: index..<range.upperBound)
            guard index < range.upperBound else { break }
            let end = source.index(
                of: semicolon, in: index..<min(index + 10, range.upperBound))
            let name = String(decoding: source[(index + 1)..<end], as: UTF8.self)
            guard end < range.upperBound, source[end] == UInt8(ascii: ";"),
                let scalar = Self.scalar(named: name)
            else {
                index += 1
                continue
            }
            copy(start..<index, of: source)
            append(String(Character(scalar)).utf8, from: index..<(end + 1))
            (start, index) = (end + 1, end + 1)
        }
        copy(start..<range.upperBound, of: source)
    }

    private static func scalar(named name: String) -> Unicode.Scalar? {
        if name.hasPrefix("#x") || name.hasPrefix("#X") {
            return UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        }
        if name.hasPrefix("#") { return UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init) }
        return ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"][name]
    }
}

private let ampersand = ByteSet("&")
private let semicolon = ByteSet(";")
