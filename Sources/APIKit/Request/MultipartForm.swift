import Foundation

/// A form that can contain files.
///
/// It is encoded as in browsers: `multipart/form-data` (RFC 7578), as the HTML standard defines it.
/// Fields keep their order, and several fields can have the same name.
///
/// ```swift
/// .multipart(["name": .text(name), "photo": .file(url, contentType: "image/jpeg")])
/// ```
///
/// A `nil` value adds no field.
public struct MultipartForm: Sendable, ExpressibleByDictionaryLiteral {
    private(set) var parts: [Part] = []

    /// The text between two parts, which must not occur in any part.
    ///
    /// The form does not search its parts for the boundary: with 128 random bits, an attacker cannot
    /// guess it, and an accidental match is less likely than a transmission error.
    let boundary: String

    /// Creates a form with a new boundary from names and values.
    ///
    /// Fields keep the order of the literal.
    public init(dictionaryLiteral elements: (String, Part?)...) {
        let bits = (0..<4).map { _ in UInt32.random(in: .min ... .max) }
        boundary = "APIKit-" + bits.map { String(format: "%08x", $0) }.joined()
        for (name, part) in elements { append(name, part) }
    }

    /// Appends a field, or none for `nil`.
    public mutating func append(_ name: String, _ part: Part?) {
        guard var part else { return }
        part.name = name
        parts.append(part)
    }

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }
}

extension MultipartForm {
    /// The content of a field: a text, a file or bytes.
    public struct Part: Sendable {
        fileprivate(set) var name = ""
        let fileName: String?
        let contentType: String?
        let content: HTTPBody.Piece
    }
}

extension MultipartForm.Part {
    /// A text, with line breaks sent as a carriage return and a line feed.
    public static func text(_ text: String) -> MultipartForm.Part {
        MultipartForm.Part(
            fileName: nil, contentType: nil, content: .text(text.withLineBreaksOfHTTP))
    }

    /// The content of a file, which is read when the form is sent.
    ///
    /// - Parameters:
    ///   - url: The file. Keep it until the form has been sent.
    ///   - fileName: The file name to send. The default is the name of the file.
    ///   - contentType: The content type of the file.
    /// - Returns: The file.
    public static func file(
        _ url: URL, fileName: String? = nil, contentType: String = "application/octet-stream"
    ) -> MultipartForm.Part {
        MultipartForm.Part(
            fileName: fileName ?? url.lastPathComponent, contentType: contentType,
            content: .file(url))
    }

    /// Bytes, which servers treat as a file if they have a file name.
    public static func data(
        _ data: Data, fileName: String? = nil, contentType: String = "application/octet-stream"
    ) -> MultipartForm.Part {
        MultipartForm.Part(fileName: fileName, contentType: contentType, content: .data(data))
    }
}

// The encoding follows the HTML standard, section "multipart/form-data encoding algorithm".

extension MultipartForm {
    /// Returns the bytes and the files of the encoded form, in order.
    func pieces() throws -> [HTTPBody.Piece] {
        let fields = try parts.flatMap { part in
            [.text("--\(boundary)\r\n\(try part.head())"), part.content, .text("\r\n")]
        }
        return fields + [.text("--\(boundary)--\r\n")]
    }
}

extension HTTPBody.Piece {
    fileprivate static func text(_ text: String) -> Self { .data(Data(text.utf8)) }
}

extension MultipartForm.Part {
    /// Returns the header fields of the part and the empty line after them.
    fileprivate func head() throws -> String {
        guard contentType?.isFieldValue != false else {
            throw APIError(
                .invalidRequest(
                    "the content type of its part \"\(name)\" contains a control character"))
        }
        // The standard normalizes line breaks in field names, but not in file names.
        let name = name.withLineBreaksOfHTTP.escapedInFormData
        var head = "Content-Disposition: form-data; name=\"\(name)\""
        if let fileName { head += "; filename=\"\(fileName.escapedInFormData)\"" }
        if let contentType { head += "\r\nContent-Type: \(contentType)" }
        return head + "\r\n\r\n"
    }
}

extension String {
    /// The text with each line break as a carriage return and a line feed.
    var withLineBreaksOfHTTP: String {
        guard utf8.contains(where: ByteSet.lineBreaks.contains) else { return self }
        // CRLF is one `Character`, and nothing else forms one with a line break.
        return split(omittingEmptySubsequences: false) { ["\r\n", "\r", "\n"].contains($0) }
            .joined(separator: "\r\n")
    }

    /// The text with quotes and line breaks escaped, for a quoted string in a header.
    ///
    /// It compares scalars, because a quote and a combining accent after it form one `Character`.
    fileprivate var escapedInFormData: String {
        guard utf8.contains(where: "\"\r\n".utf8.contains) else { return self }
        let escapes: [Unicode.Scalar: String] = ["\"": "%22", "\r": "%0D", "\n": "%0A"]
        return unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
    }
}

extension [Int] {
    /// Returns the sum of sizes, or throws if it overflows.
    func sum() throws -> Int {
        try reduce(0) { length, size in
            let (sum, isTooLarge) = length.addingReportingOverflow(size)
            // The sizes of two sparse files can overflow.
            guard !isTooLarge else { throw APIError(.invalidRequest("its body is too large")) }
            return sum
        }
    }
}
