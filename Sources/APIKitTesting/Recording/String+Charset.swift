import APIKit
import Foundation

extension String {
    /// Returns the text encoded in the charset of its media type, as the server sent it.
    ///
    /// - Returns: The bytes, or `nil` for a text with other characters than those of the charset, or than
    ///   ASCII in a charset that is not known.
    func data(inCharsetOf type: String) -> Data? {
        let label = FieldReader.parameters(of: type)["charset"] ?? ""
        if label.isEmpty { return Data(utf8) }
        if let charset = Charset(label: label) { return charset.bytes(of: self) }
        let isPlain = utf8.allSatisfy { $0 < 0x80 && $0 != 0x1B }
        return isPlain && !label.lowercased().hasPrefix("utf") ? Data(utf8) : nil
    }
}
