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
        guard let boundary = FieldReader.parameters(of: contentType)["boundary"], !boundary.isEmpty
        else { return [] }
        let lineBreak = Data("\r\n".utf8)
        // With these line breaks, the first and the last delimiter look like all the others.
        let data = lineBreak + body + lineBreak
        var parts: [Self] = []
        var start: Data.Index?
        for found in data.occurrences(of: lineBreak + Data("--\(boundary)".utf8)) {
            let rest = data[found.upperBound...]
            guard let end = rest.firstRange(of: lineBreak) else { break }
            let line = rest[..<end.lowerBound]
            let isLast = line.starts(with: "--".utf8)
            // Any other line belongs to a part, such as the boundary of a part within it.
            guard line.dropFirst(isLast ? 2 : 0).allSatisfy({ $0 == 0x20 || $0 == 0x09 })
            else { continue }
            if let start {
                // Of two adjacent delimiters, the second begins with the line break of the first.
                guard start <= found.lowerBound, let part = Self(data[start..<found.lowerBound])
                else { return [] }
                parts.append(part)
            }
            if isLast { return parts }
            start = end.upperBound
        }
        return []
    }

    private init?(_ data: Data) {
        guard let end = data.range(of: Data("\r\n\r\n".utf8)),
            let lines = String(data: data[..<end.lowerBound], encoding: .utf8)
        else { return nil }
        var headers: [String: String] = [:]
        for line in lines.components(separatedBy: "\r\n") where line.contains(":") {
            let (name, value) = line.split(at: ":")
            headers[name.lowercased()] = value.trimmingCharacters(in: .whitespaces)
        }
        let parameters = Self.parameters(of: headers["content-disposition"] ?? "")
        guard let name = parameters["name"] else { return nil }
        self.name = name
        fileName = parameters["filename"]
        contentType = headers["content-type"]
        body = Data(data[end.upperBound...])
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

extension Data {
    /// Returns the ranges at which other data occurs, without overlaps.
    func occurrences(of other: Data) -> [Range<Index>] {
        // On Linux, each `range(of:in:)` of `Data` copies all bytes into an `NSData`.
        let data = NSData(data: self)
        var ranges: [Range<Index>] = []
        var rest = NSRange(location: 0, length: data.length)
        while case let found = data.range(of: other, in: rest), found.length > 0 {
            ranges.append((startIndex + found.lowerBound)..<(startIndex + found.upperBound))
            rest = NSRange(found.upperBound..<data.length)
        }
        return ranges
    }
}
