import Foundation

extension JSONReader {
    /// The index after the number at the index (RFC 8259, section 6), or `nil` for anything else.
    var endOfNumber: Int? {
        var end = index
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        func isNext(_ character: Unicode.Scalar) -> Bool {
            end < bytes.count && bytes[end] == UInt8(ascii: character)
        }
        func skipDigits() -> Bool {
            let start = end
            while end < bytes.count, digits.contains(bytes[end]) { end += 1 }
            return end > start
        }
        if isNext("-") { end += 1 }
        if isNext("0") { end += 1 } else if !skipDigits() { return nil }
        if isNext(".") {
            end += 1
            guard skipDigits() else { return nil }
        }
        if isNext("e") || isNext("E") {
            end += 1
            if isNext("+") || isNext("-") { end += 1 }
            guard skipDigits() else { return nil }
        }
        return end
    }

    func text(to end: Int) -> String {
        String(decoding: bytes[index..<end], as: UTF8.self)
    }

    /// Skips a value without recursion, because its depth has no limit.
    mutating func skipValue() throws {
        var depth = 0
        repeat {
            guard index < bytes.count else { throw expected("a value") }
            switch bytes[index] {
            case UInt8(ascii: "\""):
                try readText { _ in }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                advance()
            case UInt8(ascii: "}") where depth > 0, UInt8(ascii: "]") where depth > 0:
                depth -= 1
                advance()
            case UInt8(ascii: ",") where depth > 0, UInt8(ascii: ":") where depth > 0:
                advance()
            case let byte where Self.isScalar(byte):
                while index < bytes.count, Self.isScalar(bytes[index]) { index += 1 }
                skipSpace()
            default:
                throw expected("a value")
            }
        } while depth > 0
    }

    /// Reads the string at the index, and passes its bytes without escapes to a closure.
    mutating func readText<Text>(
        _ make: (UnsafeBufferPointer<UInt8>) -> Text
    ) throws -> Text {
        guard isNext("\"") else { throw expected("a string") }
        var unescaped: [UInt8] = []
        var start = index + 1
        var end = try endOfString(from: start)
        // `memchr` is fast even in a debug build.
        while let backslash = position(of: "\\", in: start..<end) {
            unescaped.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<backslash]))
            start = try readEscape(at: backslash, into: &unescaped)
            if start > end { end = try endOfString(from: start) }
        }
        if !isLenient { try checkControlCharacters(from: index, to: end) }
        skip(to: end + 1)
        let rest = UnsafeBufferPointer(rebasing: bytes[start..<end])
        guard !unescaped.isEmpty else { return make(rest) }
        unescaped.append(contentsOf: rest)
        return unescaped.withUnsafeBufferPointer(make)
    }

    private func checkControlCharacters(from start: Int, to end: Int) throws {
        var index = start
        while index < end, bytes[index] >= 0x20 { index += 1 }
        if index < end { throw mistake("expected an escape such as \\n", at: index) }
    }

    private func endOfString(from start: Int) throws -> Int {
        guard let end = position(of: "\"", in: start..<max(start, bytes.count)) else {
            throw mistake("expected the end of the string that begins here", at: index)
        }
        return end
    }

    /// Appends the character of an escape, and returns the index after the escape.
    private func readEscape(at backslash: Int, into text: inout [UInt8]) throws -> Int {
        guard let escape = JSONEscape(at: backslash, of: bytes, upTo: bytes.count) else {
            throw mistake("expected an escape such as \\n", at: backslash)
        }
        guard isLenient || escape.scalar != nil else {
            throw mistake("expected both halves of a surrogate pair", at: backslash)
        }
        let scalar = escape.scalar ?? "\u{FFFD}"
        // Most escapes produce an ASCII character, and appending a sequence is slow.
        if scalar.isASCII {
            text.append(UInt8(ascii: scalar))
        } else {
            text.append(contentsOf: scalar.utf8)
        }
        return escape.end
    }
}

extension JSONReader {
    func isNext(_ character: Unicode.Scalar) -> Bool {
        index < bytes.count && bytes[index] == UInt8(ascii: character)
    }

    /// Skips a character and the space after it, or returns `false`.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard isNext(character) else { return false }
        advance()
        return true
    }

    mutating func skipNull() -> Bool { isNext("n") && skipWord("null") }

    /// Skips a word and the space after it, or returns `false`.
    mutating func skipWord(_ word: String) -> Bool {
        let end = index + word.utf8.count
        guard bytes[index...].starts(with: word.utf8),
            end == bytes.count || !Self.isScalar(bytes[end])
        else { return false }
        skip(to: end)
        return true
    }

    mutating func advance() { skip(to: index + 1) }

    mutating func skip(to end: Int) {
        index = end
        skipSpace()
    }

    mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x0A, 0x0D, 0x09: index += 1
            default: return
            }
        }
    }

    private func position(of character: Unicode.Scalar, in range: Range<Int>) -> Int? {
        guard let start = bytes.baseAddress, !range.isEmpty,
            let found = memchr(
                start + range.lowerBound, Int32(character.value), range.count)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(start)
    }

    /// Returns whether a byte can belong to a number, `true`, `false` or `null`.
    static func isScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "E"):
            true
        default:
            false
        }
    }
}
