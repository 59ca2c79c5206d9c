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
        let charset = FieldReader.parameters(of: type)["charset"]?.lowercased() ?? ""
        if ["", "utf-8", "utf8", "unicode-1-1-utf-8"].contains(charset) { return Data(utf8) }
        if ["iso-8859-1", "latin1", "windows-1252", "us-ascii", "ascii"].contains(charset) {
            return data(using: .windowsCP1252) ?? data(using: .isoLatin1) ?? Data(utf8)
        }
        if let encoding = Self.encodings[charset] { return data(using: encoding) }
        let isPlain = utf8.allSatisfy { $0 < 0x80 && $0 != 0x1B } && !charset.hasPrefix("utf-")
        return isPlain ? Data(utf8) : nil
    }

    private static let encodings: [String: String.Encoding] = [
        "shift_jis": .shiftJIS, "shift-jis": .shiftJIS, "sjis": .shiftJIS, "x-sjis": .shiftJIS,
        "windows-31j": .shiftJIS, "iso-8859-2": .isoLatin2, "latin2": .isoLatin2,
        "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251,
        "windows-1253": .windowsCP1253, "windows-1254": .windowsCP1254,
        "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian,
    ]
}
