import Foundation

/// A JSON text in which the values of some members are to be masked.
///
/// Everything else stays byte for byte as it is, which decoding and encoding would not do: order,
/// white space, the spelling of numbers. The text may be cut off or broken; what follows a hidden
/// name and has no end is masked to the end of the text.
struct JSONMask {
    private let bytes: [UInt8]

    /// Takes a text that is an object or an array, or the start of one.
    ///
    /// Whether it is, is told by what stands outside of its strings: a line of a log that starts
    /// with a bracket is not JSON, and what it says would go unmasked.
    init?(_ text: String) {
        bytes = Array(text.utf8)
        guard let first = bytes.first(where: { !isSpace($0) }), "{[".utf8.contains(first) else {
            return nil
        }
        var index = 0
        while index < bytes.count {
            guard bytes[index] != Self.quote else {
                index = endOfString(from: index)
                continue
            }
            guard Self.bytesOutsideOfStrings.contains(bytes[index]) else { return nil }
            index += 1
        }
    }

    /// Returns the text with masks for the values of members whose names are to be hidden.
    ///
    /// A `null` is no secret.
    func masking(_ isHidden: (String) -> Bool) -> String {
        var masked: [UInt8] = []
        masked.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let start = index
            index = bytes[start] == Self.quote ? endOfString(from: start) : start + 1
            masked += bytes[start..<index]
            guard bytes[start] == Self.quote, let value = startOfMember(after: index) else {
                continue
            }
            masked += bytes[index..<value]
            let name = start..<index
            index = value
            if isHidden(text(of: name)), !bytes[value...].starts(with: "null".utf8) {
                masked += "\"\(Redaction.mask)\"".utf8
                index = endOfValue(from: value)
            }
        }
        return String(decoding: masked, as: UTF8.self)
    }

    /// Where the value of a member starts whose name ends here; `nil` if that was no name.
    private func startOfMember(after end: Int) -> Int? {
        guard let colon = bytes[end...].firstIndex(where: { !isSpace($0) }),
            bytes[colon] == UInt8(ascii: ":")
        else { return nil }
        return bytes[(colon + 1)...].firstIndex { !isSpace($0) }
    }

    private func endOfString(from start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != Self.quote {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, bytes.count)
    }

    private func endOfValue(from start: Int) -> Int {
        var index = start
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case Self.quote:
                index = endOfString(from: index)
                if depth == 0 { return index }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return index }
                depth -= 1
                if depth == 0 { return index + 1 }
            case UInt8(ascii: ","):
                if depth == 0 { return index }
            default:
                if depth == 0, isSpace(bytes[index]) { return index }
            }
            index += 1
        }
        return index
    }

    /// The name between the quotes, its escapes resolved.
    private func text(of name: Range<Int>) -> String {
        let text = String(decoding: bytes[name], as: UTF8.self)
        guard text.contains("\\") else { return text }
        // A name with a broken escape is still a name.
        return (try? JSONDecoder().decode(String.self, from: Data(text.utf8))) ?? text
    }

    private func isSpace(_ byte: UInt8) -> Bool {
        [UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t")]
            .contains(byte)
    }

    private static let quote = UInt8(ascii: "\"")
    private static let bytesOutsideOfStrings = Set("{}[],: \n\r\t+-.0123456789eEtrufalsn".utf8)
}
