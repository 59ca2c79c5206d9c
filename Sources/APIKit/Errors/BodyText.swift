import Foundation

/// The text of a response whose output is a `String`.
enum BodyText {
    /// The charset of the response that is parsed.
    ///
    /// `parseResponse(data:)` receives only the body, and a request type can implement it.
    @TaskLocal static var charset: String?
}

extension HTTPURLResponse {
    /// The charset of the body, if `Content-Type` gives one.
    var charset: String? {
        value(forHTTPHeaderField: "Content-Type")
            .flatMap { FieldReader.parameters(of: $0)["charset"] }
    }
}

extension Data {
    /// Decodes the text of a body (WHATWG Encoding Standard, section 6).
    ///
    /// A byte order mark decides first. A text that is valid UTF-8 is UTF-8, even if the response gives
    /// another charset, unless that is UTF-16.
    ///
    /// - Throws: A `DecodingError` that names the charset.
    func decodedText(in label: String?) throws -> String {
        let mark: Charset? =
            starts(with: [0xFE, 0xFF])
            ? .utf16BigEndian : starts(with: [0xFF, 0xFE]) ? .utf16LittleEndian : nil
        let named = label.flatMap(Charset.init(label:))
        if mark == nil, named?.isUTF16 != true, let text = String(data: self, encoding: .utf8) {
            return text
        }
        let name = Redaction.excerpt(of: label ?? "UTF-8", upTo: 40).uppercased()
        guard let charset = mark ?? named ?? (label == nil ? .utf8 : nil) else {
            throw DecodingError(
                """
                The body is text in the charset \(name), which is not supported. Decode it in \
                parseResponse(data:).
                """)
        }
        guard let text = charset.text(of: mark == nil ? self : dropFirst(2)) else {
            throw DecodingError("The body is not \(mark == nil ? name : "UTF-16") text.")
        }
        return text
    }
}
