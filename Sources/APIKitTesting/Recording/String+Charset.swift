import APIKit
import Foundation

extension String {
    /// Returns the text encoded in the charset of its media type, as the server sent it.
    ///
    /// - Returns: The bytes, or `nil` if the charset lacks a character of the text. An unknown charset has
    ///   only the characters of ASCII.
    func data(inCharsetOf type: String) -> Data? {
        let label = FieldReader.parameters(of: type)["charset"] ?? ""
        if label.isEmpty { return Data(utf8) }
        if let charset = Charset(label: label) { return charset.bytes(of: self) }
        let isPlain = utf8.allSatisfy { $0 < 0x80 && $0 != 0x1B }
        return isPlain && !label.lowercased().hasPrefix("utf") ? Data(utf8) : nil
    }
}
