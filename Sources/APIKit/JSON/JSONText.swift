import Foundation

/// The parts of JSON text, which can be cut at any byte, or of several texts in sequence.
package struct JSONTokens: Sequence, IteratorProtocol {
    package enum Token: Equatable {
        /// A string before a colon or another string, without its quotes.
        case name(Range<Int>), string(Range<Int>)
        case literal(Range<Int>)
        case open(isArray: Bool), close
        /// A character that JSON has only in strings.
        case other
    }

    private let bytes: ArraySlice<UInt8>
    private var index: Int

    package init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
    }

    package mutating func next() -> Token? {
        while index < bytes.endIndex {
            let start = index
            index += 1
            switch bytes[start] {
            case UInt8(ascii: "\""):
                let text = index..<bytes.endOfString(from: start)
                index = Swift.min(text.upperBound + 1, bytes.endIndex)
                let rest = bytes[index...].drop(while: ByteSet.space.contains)
                return rest.first == UInt8(ascii: ":") ? .name(text) : .string(text)
            case UInt8(ascii: "{"): return .open(isArray: false)
            case UInt8(ascii: "["): return .open(isArray: true)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): return .close
            case let byte where literalBytes.contains(byte):
                while index < bytes.endIndex, literalBytes.contains(bytes[index]) { index += 1 }
                return .literal(start..<index)
            case let byte where gapBytes.contains(byte): continue
            default: return .other
            }
        }
        return nil
    }
}

/// The bytes of numbers, and of `true`, `false` and `null`.
private let literalBytes = ByteSet.digits.union("+-.eEtrufalsn")
private let gapBytes = ByteSet.space.union(":,")

extension ArraySlice<UInt8> {
    /// Whether the text is the start of JSON: only certain characters are outside of strings.
    var isJSON: Bool {
        var tokens = JSONTokens(self)
        guard case .open = tokens.next() else { return false }
        return !tokens.contains(.other)
    }

    /// Returns the index of the quote that ends a string, or the end of the text if it is cut.
    func endOfString(from quote: Int) -> Int {
        var index = quote + 1
        while index < endIndex, self[index] != self[quote] {
            index += self[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return Swift.min(index, endIndex)
    }

    /// The content of a JSON string without its escapes (RFC 8259, section 7).
    ///
    /// Malformed escapes stay. Half of a surrogate pair becomes U+FFFD, and so does invalid UTF-8.
    package var jsonUnescaped: [UInt8] {
        guard contains(UInt8(ascii: "\\")) else { return Array(self) }
        var (plain, rest) = ([UInt16](), Array(text.utf16)[...])
        while let unit = rest.popFirst() {
            guard unit == 0x5C, let letter = rest.popFirst() else {
                plain.append(unit)
                continue
            }
            let digits = String(decoding: rest.prefix(4), as: UTF16.self)
            // `UInt16` accepts a sign too.
            if letter == 0x75, digits.utf8.count == 4,
                digits.utf8.allSatisfy(ByteSet.hexDigits.contains),
                let code = UInt16(digits, radix: 16)
            {
                plain.append(code)
                rest = rest.dropFirst(4)
            } else {
                plain += shortEscapes[letter].map { [$0] } ?? [unit, letter]
            }
        }
        return Array(String(decoding: plain, as: UTF16.self).utf8)
    }
}

/// The characters of the escapes with one letter.
private let shortEscapes = Dictionary(
    uniqueKeysWithValues: zip("\"\\/bfnrt".utf16, "\"\\/\u{8}\u{C}\n\r\t".utf16))

extension [UInt8] {
    /// The bytes as the content of a JSON string.
    package var jsonEscaped: [UInt8] {
        // An encoder takes microseconds, and few texts need escapes.
        guard contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else { return self }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        // Encoding a string does not fail.
        return (try? encoder.encode(text)).map { Array($0.dropFirst().dropLast()) } ?? []
    }
}
