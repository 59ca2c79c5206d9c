import Foundation

/// A reader of a JSON text that skips what its caller does not read.
///
/// Unlike `JSONSerialization`, it has the same errors on every platform, with a place. It accepts
/// skipped values of any depth. It must not outlive the bytes.
package struct JSONReader {
    private enum Step {
        case member(String)
        case element(Int)
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private let isLenient: Bool
    /// The index of the next token, or the count of the bytes.
    private var index = 0
    /// The members and elements that contain the next token.
    private var path: [Step] = []

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - text: The text in UTF-8.
    ///   - isLenient: Whether strings may have half of a surrogate pair, which browsers write, control
    ///     characters and invalid UTF-8.
    package init(_ text: UnsafeRawBufferPointer, isLenient: Bool) {
        self.isLenient = isLenient
        bytes = text.bindMemory(to: UInt8.self)
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        skipSpace()
    }
}

extension JSONReader {
    /// Reads an object, and calls a closure with the name of each member.
    ///
    /// The closure reads the value, or else the reader skips it. `null` is an empty object.
    package mutating func readObject(
        _ readMember: (inout JSONReader, _ name: String) throws -> Void
    ) throws {
        guard !skipNull() else { return }
        guard skip("{") else { throw expected("an object") }
        guard !skip("}") else { return }
        repeat {
            guard isNext("\"") else { throw mistake("expected the name of a member") }
            let name = try readText { String(decoding: $0, as: UTF8.self) }
            guard skip(":") else { throw mistake("expected a colon") }
            path.append(.member(name))
            let start = index
            try readMember(&self, name)
            if index == start { try skipValue() }
            path.removeLast()
        } while skip(",")
        guard skip("}") else { throw mistake("expected a comma or }") }
    }

    /// Reads an array, and calls a closure for each element, which must read it.
    ///
    /// `null` is an empty array.
    package mutating func readArray(_ readElement: (inout JSONReader) throws -> Void) throws {
        guard !skipNull() else { return }
        guard skip("[") else { throw expected("an array") }
        guard !skip("]") else { return }
        var count = 0
        repeat {
            path.append(.element(count))
            try readElement(&self)
            path.removeLast()
            count += 1
        } while skip(",")
        guard skip("]") else { throw mistake("expected a comma or ]") }
    }

    /// Reads a string, or `nil` for `null`.
    package mutating func readString() throws -> String? {
        guard !skipNull() else { return nil }
        return try readText { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads the UTF-8 bytes of a string, or `nil` for `null`.
    package mutating func readData() throws -> Data? {
        guard !skipNull() else { return nil }
        return try readText { Data($0) }
    }

    /// Reads a number, or `nil` for `null`.
    package mutating func readNumber() throws -> Double? {
        guard !skipNull() else { return nil }
        guard let end = endOfNumber, let number = Double(text(to: end)), number.isFinite else {
            throw expected("a number")
        }
        skip(to: end)
        return number
    }

    /// Throws an error if anything follows the value.
    package func finish() throws {
        if index < bytes.count { throw mistake("expected the end of the text") }
    }

    /// Returns an error with the place of the current value, or of a member of it.
    package func error(_ reason: String, at member: String? = nil) -> JSONError {
        var place = ""
        for step in path + (member.map { [.member($0)] } ?? []) {
            switch step {
            case .member(let name): place += place.isEmpty ? name : ".\(name)"
            case .element(let index): place += "[\(index)]"
            }
        }
        return JSONError(place: place, reason: reason)
    }
}

extension JSONReader {
    /// Reads a value of any kind with at most 64 levels of arrays and objects.
    package mutating func readValue() throws -> HTTPBody.JSON {
        switch index < bytes.count ? bytes[index] : 0 {
        case UInt8(ascii: "\""):
            return .string(try readText { String(decoding: $0, as: UTF8.self) })
        case UInt8(ascii: "{"):
            try checkDepth()
            var members: [(String, HTTPBody.JSON)] = []
            try readObject { members.append(($1, try $0.readValue())) }
            // As in `JSONDecoder`.
            return .object(Dictionary(members) { first, _ in first })
        case UInt8(ascii: "["):
            try checkDepth()
            var elements: [HTTPBody.JSON] = []
            try readArray { elements.append(try $0.readValue()) }
            return .array(elements)
        case UInt8(ascii: "n") where skipWord("null"): return .null
        case UInt8(ascii: "t") where skipWord("true"): return .bool(true)
        case UInt8(ascii: "f") where skipWord("false"): return .bool(false)
        default:
            guard let end = endOfNumber else { throw mistake("expected a value") }
            guard let number = HTTPBody.JSON(number: text(to: end)) else {
                throw mistake("the number is out of range")
            }
            skip(to: end)
            return number
        }
    }

    private func checkDepth() throws {
        guard path.count < HTTPBody.JSON.maxDepth else {
            throw mistake("the value has more than \(HTTPBody.JSON.maxDepth) levels")
        }
    }

    /// The index after the number at the index (RFC 8259, section 6), or `nil` for anything else.
    private var endOfNumber: Int? {
        var end = index
        func isNext(_ character: Unicode.Scalar) -> Bool {
            end < bytes.count && bytes[end] == UInt8(ascii: character)
        }
        func skipDigits() -> Bool {
            let start = end
            while end < bytes.count, Self.isDigit(bytes[end]) { end += 1 }
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

    private func text(to end: Int) -> String {
        String(decoding: bytes[index..<end], as: UTF8.self)
    }

    /// Skips a value without recursion, because its depth has no limit.
    private mutating func skipValue() throws {
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
    private mutating func readText<Text>(
        _ make: (UnsafeBufferPointer<UInt8>) -> Text
    ) throws -> Text {
        guard isNext("\"") else { throw expected("a string") }
        var unescaped: [UInt8] = []
        var start = index + 1
        var end = try endOfString(from: start)
        // `memchr` is fast also in a debug build.
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
        let kind = backslash + 1 < bytes.count ? bytes[backslash + 1] : 0
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(kind)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        default:
            guard let unit = codeUnit(at: backslash) else {
                throw mistake("expected an escape such as \\n", at: backslash)
            }
            var units = [unit]
            if UTF16.isLeadSurrogate(unit), let next = codeUnit(at: backslash + 6),
                UTF16.isTrailSurrogate(next)
            {
                units.append(next)
            }
            guard isLenient || units.count == 2 || !UTF16.isSurrogate(unit) else {
                throw mistake("expected both halves of a surrogate pair", at: backslash)
            }
            // Half of a surrogate pair becomes U+FFFD.
            text.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
            return backslash + 6 * units.count
        }
        return backslash + 2
    }

    /// The code unit of an escape such as `\u00e9`.
    private func codeUnit(at backslash: Int) -> UInt16? {
        guard backslash + 6 <= bytes.count, bytes[backslash] == UInt8(ascii: "\\"),
            bytes[backslash + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt16 = 0
        for digit in bytes[(backslash + 2)..<(backslash + 6)] {
            let value: UInt8
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = digit - UInt8(ascii: "A") + 10
            default: return nil
            }
            unit = unit << 4 | UInt16(value)
        }
        return unit
    }
}

extension JSONReader {
    private func isNext(_ character: Unicode.Scalar) -> Bool {
        index < bytes.count && bytes[index] == UInt8(ascii: character)
    }

    /// Skips a character and the space after it, or returns `false`.
    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard isNext(character) else { return false }
        advance()
        return true
    }

    private mutating func skipNull() -> Bool { isNext("n") && skipWord("null") }

    /// Skips a word and the space after it, or returns `false`.
    private mutating func skipWord(_ word: String) -> Bool {
        let end = index + word.utf8.count
        guard bytes[index...].starts(with: word.utf8),
            end == bytes.count || !Self.isScalar(bytes[end])
        else { return false }
        skip(to: end)
        return true
    }

    private mutating func advance() { skip(to: index + 1) }

    private mutating func skip(to end: Int) {
        index = end
        skipSpace()
    }

    private mutating func skipSpace() {
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

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// Whether a byte can belong to a number, `true`, `false` or `null`.
    private static func isScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "E"):
            true
        default:
            false
        }
    }
}

extension JSONReader {
    /// Returns the error for a next token that is not of a kind.
    private func expected(_ kind: String) -> JSONError {
        guard index < bytes.count, !path.isEmpty else { return mistake("expected \(kind)") }
        switch bytes[index] {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""): break
        case let byte where Self.isScalar(byte): break
        default: return mistake("expected \(kind)")
        }
        return error("expected \(kind)")
    }

    /// Returns an error with the line and the column of a mistake in the JSON text.
    private func mistake(_ reason: String, at mistake: Int? = nil) -> JSONError {
        let before = bytes[..<min(mistake ?? index, bytes.count)]
        let lines = before.split(separator: 0x0A, omittingEmptySubsequences: false)
        let column = String(decoding: lines[lines.count - 1], as: UTF8.self).unicodeScalars.count
        return JSONError(place: "line \(lines.count), column \(column + 1)", reason: reason)
    }
}
