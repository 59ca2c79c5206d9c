import APIKit
import Foundation

extension String {
    /// Returns the text encoded in the charset of its media type, as the server sent it.
    ///
    /// Browsers write the decoded text, and decode ISO 8859-1 as Windows-1252 (WHATWG Encoding
    /// Standard).
    ///
    /// - Returns: The bytes, or `nil` for a text with other characters than ASCII in a charset that is
    ///   not known here.
    func data(inCharsetOf type: String) -> Data? {
        // `ISO_8859-1` and `'utf-8'` are other spellings.
        let charset = (FieldReader.parameters(of: type)["charset"] ?? "").lowercased()
            .filter { $0.isLetter || $0.isNumber }
        if ["", "utf8", "unicode11utf8"].contains(charset) { return Data(utf8) }
        if ["iso88591", "latin1", "windows1252", "cp1252", "usascii", "ascii"].contains(charset) {
            return data(using: .windowsCP1252) ?? data(using: .isoLatin1) ?? Data(utf8)
        }
        if let encoding = Self.encodings[charset] { return data(using: encoding) }
        let isPlain = utf8.allSatisfy { $0 < 0x80 && $0 != 0x1B } && !charset.hasPrefix("utf")
        return isPlain ? Data(utf8) : nil
    }

    private static let encodings: [String: String.Encoding] = [
        "shiftjis": .shiftJIS, "sjis": .shiftJIS, "xsjis": .shiftJIS, "windows31j": .shiftJIS,
        "eucjp": .japaneseEUC, "iso2022jp": .iso2022JP,
        "iso88592": .isoLatin2, "latin2": .isoLatin2, "windows1250": .windowsCP1250,
        "windows1251": .windowsCP1251, "windows1253": .windowsCP1253,
        "windows1254": .windowsCP1254, "utf16le": .utf16LittleEndian, "utf16be": .utf16BigEndian,
    ]
}
