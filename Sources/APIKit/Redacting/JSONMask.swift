import Foundation

/// A JSON text in which the values of some members are to be masked.
///
/// Everything else stays byte for byte as it is, which decoding and encoding would not do: order,
/// white space, the spelling of numbers. The text may be cut off or broken; what follows a hidden
/// name and has no end is masked to the end of the text. Of other strings, those that are JSON or
/// hold URLs are searched in turn.
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

    /// Returns the text with masks for what a redaction hides.
    ///
    /// A `null` is no secret.
    func masking(by redaction: Redaction) -> String {
        var masked: [UInt8] = []
        masked.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let start = index
            guard bytes[start] == Self.quote else {
                masked.append(bytes[start])
                index += 1
                continue
            }
            index = endOfString(from: start)
            let string = start..<index
            guard let value = startOfMember(after: index) else {
                masked += self.masked(string, by: redaction)
                continue
            }
            masked += bytes[start..<value]
            index = value
            let name = text(of: string) ?? rawText(of: string).replacing("\\", with: "")
            if redaction.hidesValue(named: name),
                !bytes[value...].starts(with: "null".utf8)
            {
                masked += "\"\(Redaction.mask)\"".utf8
                index = endOfValue(from: value)
            }
        }
        return String(decoding: masked, as: UTF8.self)
    }

    /// The bytes of a string without the secrets in it.
    private func masked(_ string: Range<Int>, by redaction: Redaction) -> [UInt8] {
        guard let text = text(of: string) else {
            // An escape is broken or cut off, so what is within the string cannot be found.
            let isHidden = redaction.hidesWord(in: rawText(of: string))
            return isHidden ? Array("\"\(Redaction.mask)\"".utf8) : Array(bytes[string])
        }
        let shown = redaction.text(ofValue: text)
        // A string can always be encoded.
        guard shown != text, let data = try? Self.encoder.encode(shown) else {
            return Array(bytes[string])
        }
        return Array(data)
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

    /// The text between the quotes with its escapes resolved, or `nil` if one is broken.
    private func text(of string: Range<Int>) -> String? {
        let raw = rawText(of: string)
        guard raw.utf8.contains(UInt8(ascii: "\\")) else { return raw }
        return try? JSONDecoder().decode(String.self, from: Data("\"\(raw)\"".utf8))
    }

    /// The text between the quotes, the last of which may be cut off.
    private func rawText(of string: Range<Int>) -> String {
        let inside = bytes[string].dropFirst()
        return String(
            decoding: inside.last == Self.quote ? inside.dropLast() : inside, as: UTF8.self)
    }

    private func isSpace(_ byte: UInt8) -> Bool {
        [UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t")]
            .contains(byte)
    }

    private static let encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return encoder
    }()
    private static let quote = UInt8(ascii: "\"")
    private static let bytesOutsideOfStrings = Set("{}[],: \n\r\t+-.0123456789eEtrufalsn".utf8)
}
