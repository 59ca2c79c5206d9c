import Foundation

/// Finds the parts of a multipart body (RFC 2046, section 5.1), which can be cut.
package enum MultipartReader {
    /// A part with its header fields, keyed by lowercase name.
    package typealias Part = (fields: [String: String], content: Range<Int>)

    /// Returns the parts of a body, or `nil` if the content type has no boundary.
    package static func parts(of body: [UInt8], contentType: String) -> [Part]? {
        guard contentType.lowercased().hasPrefix("multipart/"),
            let boundary = FieldReader.parameters(of: contentType)["boundary"], !boundary.isEmpty
        else { return nil }
        let delimiter = Array("--\(boundary)".utf8)
        var parts: [Part] = []
        var (start, line) = (body.count, 0)
        while line < body.count {
            let end = body.index(of: lineFeed, in: line..<body.count)
            if body[line..<end].starts(with: delimiter) {
                // The line break before a delimiter belongs to it.
                let last = body.hasText("\r\n", at: line - 2) ? line - 2 : line - 1
                if start < last { parts += [part(in: start..<last, of: body)].compactMap(\.self) }
                start = end + 1
            }
            line = end + 1
        }
        if start < body.count {
            parts += [part(in: start..<body.count, of: body)].compactMap(\.self)
        }
        return parts
    }

    private static func part(in range: Range<Int>, of body: [UInt8]) -> Part? {
        var (fields, line) = ([String: String](), range.lowerBound)
        while line < range.upperBound {
            let end = body.index(of: lineFeed, in: line..<range.upperBound)
            let text = String(decoding: body[line..<end], as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            line = end + 1
            // An empty line ends the header fields.
            if text.isEmpty {
                return line <= range.upperBound ? (fields, line..<range.upperBound) : nil
            }
            let field = text.split(separator: ":", maxSplits: 1)
            guard field.count == 2 else { continue }
            fields[field[0].lowercased()] = field[1].trimmingCharacters(in: .whitespaces)
        }
        return nil
    }

    private static let lineFeed = ByteSet("\n")
}
