import APIKit
import Foundation

extension RecordedRequest {
    /// A part of a multipart body.
    public struct Part: Sendable, Equatable {
        /// The name of the part, without escapes.
        ///
        /// `%0D` and `%0A` are the parts of a line break. Both `%22` (the HTML standard) and `\"`
        /// (RFC 2183) are a quote.
        public let name: String

        /// The file name of the part without escapes, if it has one.
        public let fileName: String?

        /// The content type of the part, if it has one.
        public let contentType: String?

        /// The content of the part.
        public let body: Data

        /// The content as UTF-8 text, or `nil` if it is not valid UTF-8.
        public var text: String? { String(data: body, encoding: .utf8) }
    }
}

extension RecordedRequest.Part {
    /// Returns the parts of a multipart form (RFC 2046, section 5.1, and RFC 7578).
    ///
    /// It has none if a part is malformed, because a comparison must not lose that part.
    static func parts(of body: Data, contentType: String) -> [Self] {
        let bytes = Array(body)
        guard let reader = MultipartReader(bytes, contentType: contentType), reader.isComplete
        else { return [] }
        let parts = reader.parts.compactMap { Self($0, of: bytes) }
        return parts.count == reader.parts.count ? parts : []
    }

    private init?(_ part: MultipartReader.Part, of bytes: [UInt8]) {
        guard let fields = part.fields else { return nil }
        let parameters = Self.parameters(of: fields["content-disposition"] ?? "")
        guard let name = parameters["name"] else { return nil }
        self.name = name
        fileName = parameters["filename"]
        contentType = fields["content-type"]
        body = Data(bytes[part.content])
    }

    /// Returns the parameters of a `Content-Disposition`, without the escapes that ``name`` lists.
    private static func parameters(of field: String) -> [String: String] {
        // The reader treats every backslash as an escape, and the HTML standard none. So double it,
        // except before a quote inside a value.
        let literal = #"\\(?!"(?![ \t]*(?:;|$)))"#
        let field = field.replacingOccurrences(
            of: literal, with: #"\\\\"#, options: .regularExpression)
        return FieldReader.parameters(of: field).mapValues { value in
            [("%22", "\""), ("%0D", "\r"), ("%0A", "\n")].reduce(value) { value, escape in
                value.replacingOccurrences(of: escape.0, with: escape.1, options: .literal)
            }
        }
    }
}
