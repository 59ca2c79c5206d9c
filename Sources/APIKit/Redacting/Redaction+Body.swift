import Foundation

extension Redaction {
    /// Returns a body without the secrets in it.
    ///
    /// In JSON and in a form, which have names for their values, those are masked one by one. Of
    /// any other text nothing is left if one of its words sounds like a secret, because what its
    /// value is cannot be known. Bytes that are no text are left, except of a multipart body.
    func body(_ body: Data, contentType: String?) -> Data {
        let type = contentType?.lowercased() ?? ""
        let isMultipart = type.hasPrefix("multipart/")
        guard hidesAnything, let text = isMultipart ? body.lossyText : body.utf8Text else {
            return body
        }
        if !isMultipart, let json = JSONMask(text) { return Data(json.masking(by: self).utf8) }
        if type.hasPrefix("application/x-www-form-urlencoded") {
            return Data(self.text(ofQuery: text).utf8)
        }
        if hidesWord(in: text) { return Data(Self.mask.utf8) }
        return isMultipart ? body : Data(self.text(ofValue: text).utf8)
    }
}

extension Data {
    /// The text that the bytes are in UTF-8, or `nil` if they are none.
    var utf8Text: String? {
        let text = lossyText
        // What is not UTF-8 has been replaced.
        return !contains(0) && text.utf8.elementsEqual(self) ? text : nil
    }

    fileprivate var lossyText: String { String(decoding: self, as: UTF8.self) }
}
