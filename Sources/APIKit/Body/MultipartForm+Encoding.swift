import Foundation

// The encoding follows the HTML standard, section "multipart/form-data encoding algorithm".

extension MultipartForm {
    /// Returns the size of the encoded form in bytes, without reading files.
    func length() throws -> Int {
        try pieces().map { try $0.length() }.sum()
    }

    /// Calls a closure with each piece of the encoded form, at most `size` bytes of a file.
    ///
    /// The files may have changed in size since a call of ``length()``.
    package func forEachPiece(upTo size: Int = 65_536, _ body: (Data) throws -> Void) throws {
        for piece in try pieces() {
            switch piece {
            case .data(let data): try body(data)
            case .file(let url): try FileReader(url).forEachPiece(upTo: size, body)
            }
        }
    }

    func pieces() throws -> [Part.Content] {
        let fields = try parts.flatMap { part in
            [.text("--\(boundary)\r\n\(try part.head())"), part.content, .text("\r\n")]
        }
        return fields + [.text("--\(boundary)--\r\n")]
    }
}

extension MultipartForm.Part.Content {
    /// Returns the size in bytes, without reading a file.
    func length() throws -> Int {
        switch self {
        case .data(let data): data.count
        case .file(let url): try FileReader(url).size
        }
    }

    fileprivate static func text(_ text: String) -> Self { .data(Data(text.utf8)) }
}

extension MultipartForm.Part {
    /// Returns the headers of the part and the empty line after them.
    fileprivate func head() throws -> String {
        var head =
            "Content-Disposition: form-data; name=\"\(name.withLineBreaksOfHTTP.escapedInFormData)\""
        // The standard normalizes line breaks in field names, but not in file names.
        if let fileName { head += "; filename=\"\(fileName.escapedInFormData)\"" }
        if let contentType {
            guard contentType.isFieldValue else {
                throw APIError(
                    .invalidRequest(
                        """
                        the content type of its part "\(name)" contains a line break or NUL
                        """))
            }
            head += "\r\nContent-Type: \(contentType)"
        }
        return head + "\r\n\r\n"
    }
}

extension String {
    /// The text with each line break as a carriage return and a line feed.
    var withLineBreaksOfHTTP: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count)
        var previous: UInt8?
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "\n") where previous == UInt8(ascii: "\r"): break
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"): bytes += "\r\n".utf8
            default: bytes.append(byte)
            }
            previous = byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text with quotes and line breaks escaped, for a quoted string in a header.
    ///
    /// It compares scalars, because a quote and a combining accent after it form one `Character`.
    package var escapedInFormData: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\"": text += "%22"
            case "\r": text += "%0D"
            case "\n": text += "%0A"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension [Int] {
    /// Returns the sum of sizes, or throws if it overflows.
    func sum() throws -> Int {
        try reduce(0) { length, size in
            let (sum, isTooLarge) = length.addingReportingOverflow(size)
            // Two sparse files can have such sizes.
            guard !isTooLarge else { throw APIError(.invalidRequest("its body is too large")) }
            return sum
        }
    }
}
