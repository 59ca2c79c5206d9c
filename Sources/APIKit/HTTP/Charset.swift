import Foundation

/// The charset of a text, which Foundation encodes and decodes (WHATWG Encoding Standard, section 4.2).
package struct Charset: Equatable {
    private let encoding: String.Encoding

    static let utf8 = Charset(encoding: .utf8)
    static let utf16BigEndian = Charset(encoding: .utf16BigEndian)
    static let utf16LittleEndian = Charset(encoding: .utf16LittleEndian)

    private init(encoding: String.Encoding) { self.encoding = encoding }

    /// Creates the charset with a label, or returns `nil` for one that is not listed here.
    package init?(label: String) {
        // `ISO_8859-1` and `'utf-8'` are other spellings.
        let name = label.lowercased().filter { $0.isLetter || $0.isNumber }
        guard let encoding = Self.encodings[name] else { return nil }
        self.encoding = encoding
    }

    // As in browsers, ISO 8859-1 and US-ASCII are Windows-1252.
    private static let encodings: [String: String.Encoding] = [
        "utf8": .utf8, "unicode11utf8": .utf8, "utf16": .utf16LittleEndian,
        "utf16le": .utf16LittleEndian, "utf16be": .utf16BigEndian,
        "windows1252": .windowsCP1252, "cp1252": .windowsCP1252, "xcp1252": .windowsCP1252,
        "iso88591": .windowsCP1252, "latin1": .windowsCP1252, "l1": .windowsCP1252,
        "usascii": .windowsCP1252, "ascii": .windowsCP1252,
        "iso88592": .isoLatin2, "latin2": .isoLatin2, "windows1250": .windowsCP1250,
        "windows1251": .windowsCP1251, "windows1253": .windowsCP1253,
        "windows1254": .windowsCP1254, "shiftjis": .shiftJIS, "sjis": .shiftJIS,
        "xsjis": .shiftJIS, "windows31j": .shiftJIS, "eucjp": .japaneseEUC,
        "iso2022jp": .iso2022JP,
    ]

    var isUTF16: Bool { [.utf16LittleEndian, .utf16BigEndian].contains(encoding) }

    /// Returns the text of bytes, or `nil` if they are invalid.
    package func text(of bytes: Data) -> String? {
        // Foundation ignores half of a unit.
        isUTF16 && !bytes.count.isMultiple(of: 2) ? nil : String(data: bytes, encoding: encoding)
    }

    /// Returns the bytes of a text, or `nil` if it has other characters.
    package func bytes(of text: String) -> Data? { text.data(using: encoding) }
}
