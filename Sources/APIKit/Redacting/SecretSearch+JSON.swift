import Foundation

// Decoding and encoding would change the order, white space and number formats, so the search works
// on the text. The text may be truncated or invalid.

extension SecretSearch {
    /// Finds the secrets in a JSON text, or returns `nil` if it is not the start of an object or an
    /// array.
    ///
    /// Outside of strings, JSON allows only certain characters. A text with any other character
    /// there, such as a log line that starts with a bracket, is not JSON, and the search would miss
    /// its secrets. In a log, the mask replaces the whole value of a secret member. In a recording,
    /// each string and number in it has its own substitute, so that the value still decodes.
    package func edits(inJSON range: Range<Int>, of bytes: [UInt8]) -> [TextEdit]? {
        guard isJSON(range, of: bytes) else { return nil }
        return edits(inMembersOf: range, endOfSecret: range.lowerBound, of: bytes)
    }

    /// Finds the strings and numbers of a secret object or array in another text, such as a script.
    package func edits(
        inSecretAt start: Int, in range: Range<Int>, of bytes: [UInt8]
    ) -> (edits: [TextEdit], end: Int)? {
        guard start < range.upperBound, "{[".utf8.contains(bytes[start]) else { return nil }
        let end = endOfValue(from: start, in: range, of: bytes)
        guard isJSON(start..<end, of: bytes) else { return nil }
        return (edits(inMembersOf: start..<end, endOfSecret: end, of: bytes), end)
    }

    private func edits(
        inMembersOf range: Range<Int>, endOfSecret: Int, of bytes: [UInt8]
    ) -> [TextEdit] {
        var edits: [TextEdit] = []
        var index = range.lowerBound
        var endOfSecret = endOfSecret
        while index < range.upperBound {
            let isSecret = index < endOfSecret
            let start = bytes.index(
                of: isSecret ? Self.quoteOrNumber : Self.quote, in: index..<range.upperBound)
            guard start < range.upperBound else { break }
            guard bytes[start] == UInt8(ascii: "\"") else {
                index = bytes.index(of: Self.endsOfLiteral, in: start..<range.upperBound)
                if start < endOfSecret {
                    edits.append(TextEdit(start..<index, number(inPlaceOf: bytes[start..<index])))
                }
                continue
            }
            index = endOfString(from: start, in: range, of: bytes)
            let string = start..<index
            guard let value = startOfMember(after: index, in: range, of: bytes) else {
                if start < endOfSecret {
                    edits += self.edits(inSecretString: string, of: bytes)
                } else {
                    edits += self.edits(inString: string, of: bytes)
                }
                continue
            }
            index = value
            guard value >= endOfSecret, !bytes.hasText("null", at: value),
                hidesMember(named: string, bytes)
            else { continue }
            endOfSecret = endOfValue(from: value, in: range, of: bytes)
            if !isExact {
                edits.append(TextEdit(value..<endOfSecret, Self.maskInQuotes))
                index = endOfSecret
            }
        }
        return edits
    }

    private func isJSON(_ range: Range<Int>, of bytes: [UInt8]) -> Bool {
        let start = bytes.index(of: Self.noSpace, in: range)
        guard start < range.upperBound, "{[".utf8.contains(bytes[start]) else { return false }
        var index = start
        while true {
            index = bytes.index(of: Self.quoteOrMistake, in: index..<range.upperBound)
            guard index < range.upperBound else { return true }
            guard bytes[index] == UInt8(ascii: "\"") else { return false }
            index = endOfString(from: index, in: range, of: bytes)
        }
    }

    /// Finds the secrets in a string that is not a secret itself.
    private func edits(inString string: Range<Int>, of bytes: [UInt8]) -> [TextEdit] {
        let content = content(of: string, bytes)
        guard bytes.index(of: Self.marks, in: content) < content.upperBound else { return [] }
        let plain = UnescapedText(json: content, of: bytes)
        let hasControls = plain.hasEscapes && bytes[content].contains { $0 < 0x20 }
        if plain.hasMalformedEscapes || hasControls, !isExact {
            // The search cannot find nested secrets behind a truncated escape. JSON has no control
            // characters in a string, so the text may be a part of another one.
            let isHidden = redaction.hidesWord(in: String(decoding: bytes[content], as: UTF8.self))
            return isHidden ? [TextEdit(string, Self.maskInQuotes)] : []
        }
        let edits = edits(inValue: 0..<plain.bytes.count, of: plain.bytes)
        if isExact { return respelled(edits, in: plain, of: content, escape: Self.escaped) }
        return respelled(edits, in: plain, of: string) { "\"".utf8 + Self.escaped($0) + "\"".utf8 }
    }

    private func edits(inSecretString string: Range<Int>, of bytes: [UInt8]) -> [TextEdit] {
        let content = content(of: string, bytes)
        guard !content.isEmpty else { return [] }
        let secret = UnescapedText(json: content, of: bytes).bytes
        return [TextEdit(content, Self.escaped(replacement(for: secret)))]
    }

    /// Returns the number of a placeholder, so that the value still decodes as a number.
    package func number(inPlaceOf secret: ArraySlice<UInt8>) -> [UInt8] {
        let digits = replacement(for: secret).reversed().prefix(while: ByteSet.digits.contains)
        return digits.isEmpty ? [UInt8(ascii: "0")] : digits.reversed()
    }

    /// Returns the start of the value after a member name, or `nil` if the string is not a name.
    private func startOfMember(after end: Int, in range: Range<Int>, of bytes: [UInt8]) -> Int? {
        let colon = bytes.index(of: Self.noSpace, in: end..<range.upperBound)
        guard colon < range.upperBound, bytes[colon] == UInt8(ascii: ":") else { return nil }
        let value = bytes.index(of: Self.noSpace, in: (colon + 1)..<range.upperBound)
        return value < range.upperBound ? value : nil
    }

    private func endOfString(from start: Int, in range: Range<Int>, of bytes: [UInt8]) -> Int {
        var index = start + 1
        while true {
            index = bytes.index(of: Self.quoteOrBackslash, in: index..<range.upperBound)
            guard index < range.upperBound else { return range.upperBound }
            if bytes[index] == UInt8(ascii: "\"") { return index + 1 }
            index = min(index + 2, range.upperBound)
        }
    }

    private func endOfValue(from start: Int, in range: Range<Int>, of bytes: [UInt8]) -> Int {
        var index = start
        var depth = 0
        while true {
            index = bytes.index(
                of: depth == 0 ? Self.endsOfLiteral : Self.brackets, in: index..<range.upperBound)
            guard index < range.upperBound else { return index }
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index = endOfString(from: index, in: range, of: bytes)
                if depth == 0 { return index }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return index }
                depth -= 1
                if depth == 0 { return index + 1 }
            default:
                return index
            }
            index += 1
        }
    }

    private func hidesMember(named string: Range<Int>, _ bytes: [UInt8]) -> Bool {
        let content = content(of: string, bytes)
        guard bytes.index(of: Self.backslash, in: content) < content.upperBound else {
            return hidesValue(named: bytes[content])
        }
        let name = UnescapedText(json: content, of: bytes)
        return hidesValue(
            named: name.bytes.filter { !name.hasMalformedEscapes || $0 != UInt8(ascii: "\\") })
    }

    /// Returns the range after the opening quote, without the closing quote if there is one.
    private func content(of string: Range<Int>, _ bytes: [UInt8]) -> Range<Int> {
        let isClosed = string.count > 1 && bytes[string.upperBound - 1] == UInt8(ascii: "\"")
        return (string.lowerBound + 1)..<(isClosed ? string.upperBound - 1 : string.upperBound)
    }

    private static func escaped(_ text: [UInt8]) -> [UInt8] {
        // Encoding a string never fails.
        guard let data = try? encoder.encode(String(decoding: text, as: UTF8.self)) else {
            return []
        }
        return Array(data.dropFirst().dropLast())
    }

    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return encoder
    }()
    private static let maskInQuotes = Array("\"\(Redaction.mask)\"".utf8)
    private static let noSpace = ByteSet.space.inverted
    private static let quote = ByteSet("\"")
    private static let backslash = ByteSet("\\")
    private static let quoteOrBackslash = ByteSet("\"\\")
    private static let quoteOrNumber = ByteSet("\"-0123456789")
    private static let quoteOrMistake = ByteSet {
        $0 == UInt8(ascii: "\"") || !"{}[],: \n\r\t+-.0123456789eEtrufalsn".utf8.contains($0)
    }
    private static let brackets = ByteSet("\"{}[]")
    private static let endsOfLiteral = ByteSet("\"{}[], \n\r\t")
    private static let marks = ByteSet("?#@;{[\\")
}
