import Foundation

/// A writer of indented JSON, whose bytes are the same on every platform.
///
/// `JSONEncoder` sorts the members, and its spaces and escapes depend on the platform.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private var depth = 0
    /// Whether the current object or array has no content so far.
    private var isEmpty = true
    /// Whether the current object is on one line.
    private var isInline = false

    /// Writes an object, as a member if it has a name.
    mutating func object(
        _ name: String? = nil, inline isInline: Bool = false,
        _ writeMembers: (inout JSONWriter) -> Void
    ) {
        group(name, "{", "}", inline: isInline, writeMembers)
    }

    /// Writes an array as a member, and calls a closure for each element.
    mutating func array<Element>(
        _ name: String, _ elements: [Element],
        _ writeElement: (inout JSONWriter, Element) -> Void
    ) {
        group(name, "[", "]", inline: false) { writer in
            for element in elements { writeElement(&writer, element) }
        }
    }

    /// Writes a string, as a member if it has a name.
    mutating func string(_ name: String?, _ value: String) {
        start(name)
        quote(value)
    }

    /// Writes UTF-8 text as a member.
    mutating func string(_ name: String, _ value: some ContiguousBytes) {
        start(name)
        value.withUnsafeBytes { quote($0) }
    }

    /// Writes a number as a member.
    mutating func number(_ name: String, _ value: some Numeric & LosslessStringConvertible) {
        start(name)
        bytes.append(contentsOf: value.description.utf8)
    }

    private mutating func group(
        _ name: String?, _ opening: String, _ closing: String, inline isInline: Bool,
        _ writeContent: (inout JSONWriter) -> Void
    ) {
        start(name)
        bytes.append(contentsOf: opening.utf8)
        let outer = self.isInline
        (isEmpty, self.isInline) = (true, isInline)
        depth += 1
        writeContent(&self)
        depth -= 1
        if !isEmpty { separate() }
        bytes.append(contentsOf: closing.utf8)
        (isEmpty, self.isInline) = (false, outer)
        if depth == 0 { bytes.append(0x0A) }
    }

    /// Writes what precedes a value: a comma, its line and its name.
    private mutating func start(_ name: String?) {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        if depth > 0 { separate() }
        isEmpty = false
        guard let name else { return }
        quote(name)
        bytes.append(contentsOf: ": ".utf8)
    }

    private mutating func separate() {
        guard !isInline else { return bytes.append(0x20) }
        bytes.append(0x0A)
        bytes.append(contentsOf: repeatElement(0x20, count: 2 * depth))
    }

    private mutating func quote(_ text: String) {
        var text = text
        text.withUTF8 { quote(UnsafeRawBufferPointer($0)) }
    }

    private mutating func quote(_ text: UnsafeRawBufferPointer) {
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        for (index, byte) in text.enumerated() {
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
                continue
            }
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start..<index]))
            bytes.append(contentsOf: Self.escapes[byte] ?? Self.escape(byte))
            start = index + 1
        }
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start...]))
        bytes.append(UInt8(ascii: "\""))
    }

    /// Returns a text with the escapes of a JSON string.
    static func escaped(_ text: String) -> String {
        var writer = JSONWriter()
        writer.quote(text)
        return String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self)
    }

    private static let escapes: [UInt8: [UInt8]] = [
        UInt8(ascii: "\""): Array(#"\""#.utf8), UInt8(ascii: "\\"): Array(#"\\"#.utf8),
        0x08: Array(#"\b"#.utf8), 0x09: Array(#"\t"#.utf8), 0x0A: Array(#"\n"#.utf8),
        0x0C: Array(#"\f"#.utf8), 0x0D: Array(#"\r"#.utf8),
    ]

    private static func escape(_ byte: UInt8) -> [UInt8] {
        Array("\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
    }
}
