import Foundation

/// A strict reader of JSON text (RFC 8259) that flattens a value.
///
/// Each value has its path as a name, such as `user.tags[0]`. Besides the scalars, an object has the
/// text `{}` and an array has the number of its elements, such as `[2]`.
package struct JSONScanner {
    /// Receives the name and the text of a value, and whether the value is a string.
    package typealias Receiver = (_ name: String, _ text: String, _ isString: Bool) -> Void

    private let bytes: [UInt8]
    private let ignored: Set<String>
    private let receive: Receiver
    private var index = 0
    private var depth = 0
    /// The size of all names, which grows with the square of a hostile text.
    private var nameSize = 0

    /// Reads a text, and returns whether it is JSON with at most 64 levels.
    ///
    /// - Parameters:
    ///   - text: The text in UTF-8.
    ///   - name: The name of the whole value, or `nil` to read only.
    ///   - ignored: The names of members that do not matter, at any depth.
    ///   - receive: Receives each value.
    /// - Returns: Whether the text is JSON.
    package static func scan(
        _ text: Data, at name: String? = nil, ignoring ignored: Set<String> = [],
        _ receive: @escaping Receiver = { _, _, _ in }
    ) -> Bool {
        guard String(data: text, encoding: .utf8) != nil else { return false }
        var scanner = JSONScanner(bytes: [UInt8](text), ignored: ignored, receive: receive)
        if text.starts(with: "\u{FEFF}".utf8) { scanner.index = 3 }
        scanner.skipSpace()
        return scanner.scanValue(at: name) && scanner.index == scanner.bytes.count
    }

    /// Returns the text of a member's name after the name of its object, such as `.city`.
    package static func step(_ member: String) -> String {
        guard member.isEmpty || member.utf8.contains(where: special.contains) else {
            return "." + member
        }
        let escaped = member.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
        return "[\"\(escaped)\"]"
    }

    private static let special = ByteSet(#".[]"'"#)
}

extension JSONScanner {
    /// The next byte, or zero at the end.
    private var next: UInt8 { index < bytes.count ? bytes[index] : 0 }

    /// Reads a value and the space after it.
    ///
    /// The name of an ignored value is `nil`.
    private mutating func scanValue(at name: String?) -> Bool {
        switch next {
        case UInt8(ascii: "{"):
            let count = scanItems(from: "{", to: "}") { scanner, _ in
                guard let member = scanner.scanString(), scanner.skip(":") else { return false }
                let isIgnored = scanner.ignored.contains(member)
                return scanner.scanValue(at: isIgnored ? nil : name.map { $0 + Self.step(member) })
            }
            return count != nil && add("{}", at: name)
        case UInt8(ascii: "["):
            let count = scanItems(from: "[", to: "]") { scanner, index in
                scanner.scanValue(at: name.map { "\($0)[\(index)]" })
            }
            return count.map { add($0 == 0 ? "[]" : "[\($0)]", at: name) } ?? false
        case UInt8(ascii: "\""):
            return scanString().map { add($0, at: name, isString: true) } ?? false
        default:
            return scanLiteral().map { add($0, at: name) } ?? false
        }
    }

    private mutating func add(_ text: String, at name: String?, isString: Bool = false) -> Bool {
        guard let name else { return true }
        receive(name, text, isString)
        nameSize += name.utf8.count
        return nameSize / 100 <= bytes.count + 1 << 14
    }

    /// Reads members or elements, and returns their number, or `nil` for a mistake.
    private mutating func scanItems(
        from start: Unicode.Scalar, to end: Unicode.Scalar,
        _ scan: (inout JSONScanner, _ index: Int) -> Bool
    ) -> Int? {
        guard depth < JSONValue.maxDepth, skip(start) else { return nil }
        if skip(end) { return 0 }
        depth += 1
        defer { depth -= 1 }
        var count = 0
        repeat {
            guard scan(&self, count) else { return nil }
            count += 1
        } while skip(",")
        return skip(end) ? count : nil
    }

    private mutating func scanString() -> String? {
        let start = index
        guard take("\"") else { return nil }
        var hasEscapes = false
        while next >= 0x20, next != UInt8(ascii: "\"") {
            let isEscape = next == UInt8(ascii: "\\")
            hasEscapes = hasEscapes || isEscape
            index += isEscape ? 2 : 1
        }
        let end = index
        guard skip("\"") else { return nil }
        guard hasEscapes else { return String(decoding: bytes[(start + 1)..<end], as: UTF8.self) }
        // The system knows the escapes, and refuses half of a surrogate pair.
        return try? JSONDecoder().decode(String.self, from: Data(bytes[start...end]))
    }

    private mutating func scanLiteral() -> String? {
        defer { skipSpace() }
        for word in ["true", "false", "null"] where next == word.utf8.first {
            let isWord = bytes[index...].starts(with: word.utf8)
            index += word.utf8.count
            return isWord ? word : nil
        }
        return scanNumber()
    }

    /// Reads a number, and returns the one spelling of all numbers of its value.
    ///
    /// It has no limits: `1e400` is a number of JSON, although no `Double` can hold it.
    private mutating func scanNumber() -> String? {
        let start = index
        let sign = take("-") ? "-" : ""
        let whole = scanDigits()
        guard !whole.isEmpty, whole == "0" || !whole.hasPrefix("0") else { return nil }
        var (fraction, exponent) = ("", Int?(0))
        if take(".") {
            fraction = scanDigits()
            guard !fraction.isEmpty else { return nil }
        }
        if take("e") || take("E") {
            let sign = take("-") ? "-" : take("+") ? "+" : ""
            let digits = scanDigits()
            guard !digits.isEmpty else { return nil }
            exponent = Int(sign + digits)
        }
        let digits = (whole + fraction).drop { $0 == "0" }
        guard let last = digits.lastIndex(where: { $0 != "0" }) else { return "0" }
        guard let exponent, exponent.magnitude < 1 << 30 else {
            return String(decoding: bytes[start..<index], as: UTF8.self)
        }
        let significant = String(digits[...last])
        let zeros = exponent - fraction.utf8.count + digits[last...].utf8.count - 1
        switch zeros {
        case 0...20: return sign + significant + String(repeating: "0", count: zeros)
        case -20..<0:
            let padding = String(repeating: "0", count: max(0, 1 - zeros - significant.utf8.count))
            let padded = padding + significant
            return "\(sign)\(padded.dropLast(-zeros)).\(padded.suffix(-zeros))"
        default: return "\(sign)\(significant)e\(zeros)"
        }
    }

    private mutating func scanDigits() -> String {
        let start = index
        while ByteSet.digits.contains(next) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    /// Skips a character, or returns `false`.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// Skips a character and the space after it, or returns `false`.
    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard take(character) else { return false }
        skipSpace()
        return true
    }

    private mutating func skipSpace() {
        while ByteSet.space.contains(next) { index += 1 }
    }
}
