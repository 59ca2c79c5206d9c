import Foundation

/// A JSON text in which the values of secret members can be masked.
///
/// All other bytes stay the same. Decoding and encoding would change the order, white space and
/// number formats. The text may be truncated or invalid; a secret value without an end is masked up
/// to the end of the text. Other strings that contain JSON or URLs are searched too.
struct JSONMask {
    private let bytes: [UInt8]

    /// Creates a mask for a text, or `nil` if it is not the start of an object or an array.
    ///
    /// Outside of strings, JSON allows only certain characters. A text with any other character
    /// there, such as a log line that starts with a bracket, is not JSON, and the mask would miss
    /// its secrets.
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

    /// Returns the text with its secrets masked, except those that are `null`.
    func masked(by redaction: Redaction) -> String {
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

    /// Returns the bytes of a string with its secrets masked.
    private func masked(_ string: Range<Int>, by redaction: Redaction) -> [UInt8] {
        guard let text = text(of: string) else {
            // An escape is invalid or truncated, so a search cannot find nested secrets.
            let isHidden = redaction.hidesWord(in: rawText(of: string))
            return isHidden ? Array("\"\(Redaction.mask)\"".utf8) : Array(bytes[string])
        }
        let shown = redaction.text(ofValue: text)
        // Encoding a string never fails.
        guard shown != text, let data = try? Self.encoder.encode(shown) else {
            return Array(bytes[string])
        }
        return Array(data)
    }

    /// Returns the start of the value after a member name, or `nil` if the string is not a name.
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

    /// Returns the text between the quotes with its escapes resolved, or `nil` if one is invalid.
    private func text(of string: Range<Int>) -> String? {
        let raw = rawText(of: string)
        guard raw.utf8.contains(UInt8(ascii: "\\")) else { return raw }
        return try? JSONDecoder().decode(String.self, from: Data("\"\(raw)\"".utf8))
    }

    /// Returns the text after the opening quote, without the closing quote if there is one.
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
