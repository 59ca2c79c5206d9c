/// An escape in a JSON string (RFC 8259, section 7).
struct JSONEscape {
    /// The character, or `nil` for half of a surrogate pair.
    let scalar: Unicode.Scalar?
    /// The index after the escape.
    let end: Int

    /// Reads the escape at a backslash, or returns `nil` for a malformed one.
    init?(at backslash: Int, of bytes: UnsafeBufferPointer<UInt8>, upTo limit: Int) {
        guard backslash + 1 < limit else { return nil }
        let letter = bytes[backslash + 1]
        guard letter == UInt8(ascii: "u") else {
            guard let scalar = Self.character(of: letter) else { return nil }
            (self.scalar, end) = (scalar, backslash + 2)
            return
        }
        guard let unit = Self.codeUnit(at: backslash, of: bytes, upTo: limit) else { return nil }
        let next = Self.codeUnit(at: backslash + 6, of: bytes, upTo: limit) ?? 0
        if UTF16.isLeadSurrogate(unit), UTF16.isTrailSurrogate(next) {
            let (high, low) = (UInt32(unit - 0xD800), UInt32(next - 0xDC00))
            (scalar, end) = (Unicode.Scalar(0x10000 + high << 10 + low), backslash + 12)
        } else {
            (scalar, end) = (Unicode.Scalar(unit), backslash + 6)
        }
    }

    /// Returns the code unit of an escape such as `\u00e9`.
    private static func codeUnit(
        at backslash: Int, of bytes: UnsafeBufferPointer<UInt8>, upTo limit: Int
    ) -> UInt16? {
        guard backslash + 6 <= limit, bytes[backslash] == UInt8(ascii: "\\"),
            bytes[backslash + 1] == UInt8(ascii: "u")
        else { return nil }
        return bytes[(backslash + 2)..<(backslash + 6)].reduce(UInt16?(0)) { unit, byte in
            guard let unit, let digit = byte.hexDigitValue else { return nil }
            return unit << 4 | UInt16(digit)
        }
    }

    /// Returns the character of a one-letter escape.
    private static func character(of letter: UInt8) -> Unicode.Scalar? {
        switch Unicode.Scalar(letter) {
        case "\"": "\""
        case "\\": "\\"
        case "/": "/"
        case "b": "\u{8}"
        case "f": "\u{C}"
        case "n": "\n"
        case "r": "\r"
        case "t": "\t"
        default: nil
        }
    }
}

extension UInt8 {
    /// The value of an ASCII hexadecimal digit, or `nil` for any other byte.
    package var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
