/// The parts of JSON text, which can be cut at any byte, or of several texts in sequence.
package struct JSONTokens: IteratorProtocol {
    package enum Token {
        /// A string before a colon or another string, without its quotes.
        case name(Range<Int>), string(Range<Int>)
        case literal(Range<Int>)
        case open(isArray: Bool), close
    }

    private let bytes: [UInt8]
    private var index = 0

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package mutating func next() -> Token? {
        while index < bytes.count {
            let start = index
            index += 1
            switch bytes[start] {
            case UInt8(ascii: "\""):
                let text = index..<bytes[...].endOfString(from: start)
                index = min(text.upperBound + 1, bytes.count)
                var next = index
                while next < bytes.count, bytes[next].isJSONSpace { next += 1 }
                guard next < bytes.count, bytes[next] == UInt8(ascii: ":") else {
                    return .string(text)
                }
                index = next + 1
                return .name(text)
            case UInt8(ascii: "{"): return .open(isArray: false)
            case UInt8(ascii: "["): return .open(isArray: true)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): return .close
            case let byte where byte.isJSONLiteral:
                while index < bytes.count, bytes[index].isJSONLiteral { index += 1 }
                return .literal(start..<index)
            default: continue
            }
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    /// Whether the text is the start of JSON: only certain characters are outside of strings.
    var isJSON: Bool {
        guard let first = first(where: { !$0.isJSONSpace }), "{[".utf8.contains(first) else {
            return false
        }
        var index = startIndex
        while index < endIndex {
            if self[index] == UInt8(ascii: "\"") {
                index = endOfString(from: index)
            } else if !self[index].isJSONSpace && !self[index].isJSONLiteral
                && !"{}[]:,".utf8.contains(self[index])
            {
                return false
            }
            index += 1
        }
        return true
    }

    /// Returns the index of the quote that ends a string, or the end of the text if it is cut.
    func endOfString(from quote: Int) -> Int {
        var index = quote + 1
        while index < endIndex, self[index] != self[quote] {
            index += self[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return Swift.min(index, endIndex)
    }

    /// The content of a JSON string without its escapes.
    ///
    /// Malformed escapes stay.
    package var jsonUnescaped: [UInt8] {
        guard contains(UInt8(ascii: "\\")) else { return Array(self) }
        return withUnsafeBufferPointer { bytes in
            var (plain, index) = ([UInt8](), 0)
            while index < bytes.count {
                let escape =
                    bytes[index] == UInt8(ascii: "\\")
                    ? JSONEscape(at: index, of: bytes, upTo: bytes.count) : nil
                if let escape {
                    plain += (escape.scalar ?? "\u{FFFD}").utf8
                } else {
                    plain.append(bytes[index])
                }
                index = escape?.end ?? index + 1
            }
            return plain
        }
    }
}

extension [UInt8] {
    /// The bytes as the content of a JSON string.
    package var jsonEscaped: [UInt8] {
        reduce(into: []) { escaped, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): escaped += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): escaped += "\\n".utf8
            case UInt8(ascii: "\r"): escaped += "\\r".utf8
            case UInt8(ascii: "\t"): escaped += "\\t".utf8
            case ..<0x20: escaped += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: escaped.append(byte)
            }
        }
    }
}

extension UInt8 {
    fileprivate var isJSONSpace: Bool { self == 0x20 || 0x09...0x0A ~= self || self == 0x0D }

    /// Whether a number or `true`, `false` or `null` contains the character.
    fileprivate var isJSONLiteral: Bool {
        0x30...0x39 ~= self || "+-.eEtrufalsn".utf8.contains(self)
    }
}
