import APIKit
import Foundation

extension SecretSearch {
    /// Finds the secrets in a body, unless it is not UTF-8 text.
    func edits(
        inBody range: Range<Int>, of bytes: [UInt8], contentType: String?
    ) -> [TextEdit] {
        let type = contentType?.lowercased() ?? ""
        if type.hasPrefix("multipart/") {
            let boundary = FieldReader.parameters(of: contentType ?? "")["boundary"] ?? ""
            return boundary.isEmpty
                ? [] : edits(inParts: range, of: bytes, boundary: Array(boundary.utf8))
        }
        guard bytes.isText(range) else { return [] }
        let start =
            Self.prefixes.first { bytes.hasText($0, at: range.lowerBound) }
            .map { range.lowerBound + $0.utf8CodeUnitCount } ?? range.lowerBound
        if let edits = edits(inJSON: range, of: bytes)
            ?? edits(inJSON: min(start, range.upperBound)..<range.upperBound, of: bytes)
        {
            return edits
        }
        if type.hasPrefix("application/x-www-form-urlencoded") {
            return edits(inQuery: range, of: bytes, plusIsSpace: true)
        }
        if type.hasPrefix("text/event-stream") || bytes.hasText("data:", at: range.lowerBound) {
            return edits(inEvents: range, of: bytes)
        }
        return edits(inText: range, of: bytes, isScript: type.contains("script"))
    }

    /// Finds the secrets in the data of server-sent events, whose JSON may have several lines.
    private func edits(inEvents range: Range<Int>, of bytes: [UInt8]) -> [TextEdit] {
        var edits: [TextEdit] = []
        var data = UnescapedText()
        func endEvent() {
            let range = 0..<data.bytes.count
            let found =
                self.edits(inJSON: range, of: data.bytes)
                ?? self.edits(inText: range, of: data.bytes, isScript: false)
            edits += found.map { TextEdit(data.source(of: $0.range), $0.text) }
            data = UnescapedText()
        }
        for line in bytes.ranges(in: range, separatedBy: Self.lineFeed) {
            if bytes.hasText("data:", at: line.lowerBound) {
                data.copy(
                    (line.lowerBound + 5)..<min(line.upperBound + 1, range.upperBound), of: bytes)
            } else if bytes.trimming(.space, line).isEmpty {
                endEvent()
            } else {
                edits += self.edits(inText: line, of: bytes, isScript: false)
            }
        }
        endEvent()
        return edits
    }

    /// Finds the secrets in the parts of a multipart body (RFC 2046, section 5.1).
    ///
    /// Files stay.
    private func edits(
        inParts range: Range<Int>, of bytes: [UInt8], boundary: [UInt8]
    ) -> [TextEdit] {
        let delimiter = Array("--".utf8) + boundary
        var edits: [TextEdit] = []
        var start: Int?
        var line = range.lowerBound
        while line < range.upperBound {
            let end = bytes.index(of: Self.lineFeed, in: line..<range.upperBound)
            if bytes[line..<end].starts(with: delimiter) {
                if let start {
                    // The line break before a delimiter belongs to the delimiter.
                    let last = bytes[line - 1] == UInt8(ascii: "\n") ? line - 1 : line
                    let hasReturn = last > start && bytes[last - 1] == UInt8(ascii: "\r")
                    edits += self.edits(
                        inPart: start..<max(start, hasReturn ? last - 1 : last), of: bytes)
                }
                start = min(end + 1, range.upperBound)
            }
            line = end + 1
        }
        return edits
    }

    private func edits(inPart range: Range<Int>, of bytes: [UInt8]) -> [TextEdit] {
        var (name, contentType) = ("", String?.none)
        for line in bytes.ranges(in: range, separatedBy: Self.lineFeed) {
            let content = bytes.trimming(.space, line)
            guard !content.isEmpty else {
                let body = min(line.upperBound + 1, range.upperBound)..<range.upperBound
                guard !body.isEmpty, hidesItem(named: Array(name.utf8)) else {
                    return edits(inBody: body, of: bytes, contentType: contentType)
                }
                return bytes.isText(body) ? [TextEdit(body, replacement(for: bytes[body]))] : []
            }
            let field = String(decoding: bytes[content], as: UTF8.self)
            guard let colon = field.firstIndex(of: ":") else { continue }
            let value = String(field[colon...].dropFirst())
            switch field[..<colon].lowercased() {
            case "content-disposition":
                let parameters = FieldReader.parameters(of: value)
                if parameters["filename"] != nil || parameters["filename*"] != nil { return [] }
                name = parameters["name"] ?? ""
            case "content-type": contentType = value.trimmingCharacters(in: .whitespaces)
            default: break
            }
        }
        return []
    }

    /// The byte order mark, and texts before JSON that prevent its use as a script.
    private static let prefixes: [StaticString] = [
        "\u{FEFF}", ")]}',", ")]}'", ")]}", "for(;;);", "for (;;);", "while(1);", "while (1);",
        "{}&&", "{} &&", "/**/", "throw 1; <dont be evil>",
    ]
    private static let lineFeed = ByteSet("\n")
}

extension [UInt8] {
    /// Whether the bytes are valid UTF-8 without a NUL.
    func isText(_ range: Range<Int>) -> Bool {
        index(of: nulByte, in: range) == range.upperBound
            && String(bytes: self[range], encoding: .utf8) != nil
    }

}

private let nulByte = ByteSet { $0 == 0 }
