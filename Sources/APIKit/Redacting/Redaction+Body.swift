import Foundation

extension Redaction {
    /// Returns a body with its secrets masked.
    ///
    /// JSON and forms name their values, so only secret values are masked. The mask replaces the
    /// whole of any other text if one of its words names a secret, because the value is unknown.
    /// Bytes that are not text stay the same, except in a multipart body.
    func body(_ body: Data, contentType: String?) -> Data {
        let type = contentType?.lowercased() ?? ""
        let isMultipart = type.hasPrefix("multipart/")
        guard hidesAnything, let text = isMultipart ? body.lossyText : body.utf8Text else {
            return body
        }
        if !isMultipart, let json = self.text(ofJSON: text) { return Data(json.utf8) }
        if type.hasPrefix("application/x-www-form-urlencoded") {
            return Data(self.text(ofQuery: text).utf8)
        }
        if hidesWord(in: text) { return Data(Self.mask.utf8) }
        return isMultipart ? body : Data(self.text(ofValue: text).utf8)
    }
}

extension Data {
    /// The bytes as UTF-8 text, or `nil` if they are not valid UTF-8 or contain a NUL.
    package var utf8Text: String? {
        let text = lossyText
        // The conversion replaces invalid bytes, so the result then differs.
        return !contains(0) && text.utf8.elementsEqual(self) ? text : nil
    }

    fileprivate var lossyText: String { String(decoding: self, as: UTF8.self) }
}
