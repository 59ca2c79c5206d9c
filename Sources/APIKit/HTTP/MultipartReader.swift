import Foundation

/// The parts of a multipart body (RFC 2046, section 5.1), which can be cut.
package struct MultipartReader {
    /// A part with its header fields, keyed by lowercase name, or with `nil` if they do not end.
    package typealias Part = (fields: [String: String]?, content: Range<Int>)

    /// The parts in order.
    package private(set) var parts: [Part] = []
    /// The range of the parts, from the first delimiter through the last.
    ///
    /// The text outside of it has no meaning.
    private(set) var range: Range<Int>
    /// Whether the body has the delimiter that ends the last part.
    package private(set) var isComplete = false

    /// Reads a body, or returns `nil` if the content type has no boundary.
    package init?(_ body: [UInt8], contentType: String) {
        guard contentType.lowercased().hasPrefix("multipart/"),
            let boundary = FieldReader.parameters(of: contentType)["boundary"], !boundary.isEmpty
        else { return nil }
        let delimiter = Array("--\(boundary)".utf8)
        range = body.count..<body.count
        var (start, line) = (nil as Int?, 0)
        while line < body.count, !isComplete {
            let end = body.index(of: Self.lineFeed, in: line..<body.count)
            if body[line..<end].starts(with: delimiter) {
                let rest = body[(line + delimiter.count)..<end]
                let isLast = rest.starts(with: "--".utf8)
                // Any other line belongs to a part, such as the boundary of a part within it.
                if rest.dropFirst(isLast ? 2 : 0).allSatisfy(ByteSet.space.contains) {
                    // The line break before a delimiter belongs to it.
                    let last = body.hasText("\r\n", at: line - 2) ? line - 2 : line - 1
                    if let start { parts.append(Self.part(of: body, from: start, to: last)) }
                    start = end + 1
                    isComplete = isLast
                    let rangeEnd = isLast ? min(end + 1, body.count) : body.count
                    range = min(range.lowerBound, line)..<rangeEnd
                }
            }
            line = end + 1
        }
        if let start, start < body.count, !isComplete {
            parts.append(Self.part(of: body, from: start, to: body.count))
        }
    }

    private static func part(of body: [UInt8], from start: Int, to last: Int) -> Part {
        var (fields, line) = ([String: String](), start)
        let whole = start..<max(start, last)
        while line < last {
            let end = body.index(of: lineFeed, in: line..<last)
            let text = String(decoding: body[line..<end], as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            line = end + 1
            // An empty line ends the header fields.
            if text.isEmpty { return line <= last ? (fields, line..<last) : (nil, whole) }
            let field = text.split(separator: ":", maxSplits: 1)
            guard field.count == 2 else { continue }
            fields[field[0].lowercased()] = field[1].trimmingCharacters(in: .whitespaces)
        }
        return (nil, whole)
    }

    private static let lineFeed = ByteSet("\n")
}
