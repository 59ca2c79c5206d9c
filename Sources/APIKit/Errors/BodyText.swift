import Foundation

/// The text of a response whose output is a `String`.
enum BodyText {
    /// The charset of the response that is parsed.
    ///
    /// `parseResponse(data:)` receives only the body, and a request type can implement it.
    @TaskLocal static var charset: String?

    /// The characters of Windows-1252 from 0x80 through 0x9F.
    ///
    /// The others are the characters of ISO 8859-1.
    fileprivate static let windows1252 = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
}

extension HTTPURLResponse {
    /// The charset of the body in lower case, if `Content-Type` gives one.
    var charset: String? {
        value(forHTTPHeaderField: "Content-Type")
            .flatMap { FieldReader.parameters(of: $0)["charset"]?.lowercased() }
    }
}

extension Data {
    /// Decodes the text of a body (WHATWG Encoding Standard, sections 4.2 and 6).
    ///
    /// A byte order mark decides first. A text that is valid UTF-8 is UTF-8, even if the
    /// response gives another charset, unless that is UTF-16. ISO 8859-1 and US-ASCII are read as Windows-1252.
    ///
    /// - Throws: A `DecodingError` that names the charset.
    func decodedText(in charset: String?) throws -> String {
        let mark =
            starts(with: [0xFE, 0xFF]) ? "utf-16be" : starts(with: [0xFF, 0xFE]) ? "utf-16le" : nil
        switch mark ?? charset {
        case "utf-16", "utf-16le", "utf-16be":
            let isBigEndian = (mark ?? charset) == "utf-16be"
            let bytes = Array(dropFirst(mark == nil ? 0 : 2))
            let units = stride(from: 0, to: bytes.count - 1, by: 2).map { index in
                let unit = UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
                return isBigEndian ? unit : unit.byteSwapped
            }
            let text = String(decoding: units, as: UTF16.self)
            // The conversion replaces invalid units, so the result then differs.
            guard bytes.count.isMultiple(of: 2), text.utf16.elementsEqual(units) else {
                throw DecodingError("The body is not UTF-16 text.")
            }
            return text
        case let charset:
            if let text = String(data: self, encoding: .utf8) { return text }
            switch charset {
            case nil, "utf-8", "utf8": throw DecodingError("The body is not UTF-8 text.")
            case "windows-1252", "cp1252", "x-cp1252", "iso-8859-1", "iso8859-1", "iso_8859-1",
                "latin1", "l1", "us-ascii", "ascii":
                return String(
                    String.UnicodeScalarView(
                        map { byte in
                            0x80...0x9F ~= byte
                                ? BodyText.windows1252[Int(byte - 0x80)] : Unicode.Scalar(byte)
                        }))
            case let charset?:
                let name = Redaction.excerpt(of: charset, upTo: 40)
                throw DecodingError(
                    """
                    The body is text in the charset \(name), which is not supported. Decode it in \
                    parseResponse(data:).
                    """)
            }
        }
    }
}
