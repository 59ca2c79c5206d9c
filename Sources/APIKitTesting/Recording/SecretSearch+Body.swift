import APIKit
import Foundation

extension SecretSearch {
    /// Finds the secrets in a body that is text.
    ///
    /// The media type shows that a text in another charset, such as ISO 8859-1, is text.
    func edits(
        inBody range: Range<Int>, of bytes: [UInt8], contentType: String?
    ) -> [TextEdit] {
        let type = contentType?.lowercased() ?? ""
        if type.hasPrefix("multipart/"),
            let boundary = FieldReader.parameters(of: contentType ?? "")["boundary"],
            let edits = edits(inParts: range, of: bytes, boundary: Array(boundary.utf8))
        {
            return edits
        }
        guard bytes.isText(range) || Self.isText(type) else { return [] }
        let start =
            Self.prefixes.first { bytes.hasText($0, at: range.lowerBound) }
            .map { range.lowerBound + $0.utf8CodeUnitCount } ?? range.lowerBound
        if let edits = edits(inJSON: range, of: bytes)
            ?? edits(inJSON: min(start, range.upperBound)..<range.upperBound, of: bytes)
        {
            return edits
        }
        let isForm =
            type.isEmpty && bytes.index(of: Self.noForm, in: range) == range.upperBound
            || type.hasPrefix("application/x-www-form-urlencoded")
        if isForm {
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

    /// Finds the secrets in the parts of a multipart body (RFC 2046, section 5.1), or returns `nil`
    /// if it has none.
    ///
    /// The last part may be truncated.
    private func edits(
        inParts range: Range<Int>, of bytes: [UInt8], boundary: [UInt8]
    ) -> [TextEdit]? {
        guard let search = nested() else {
            return [TextEdit(range, replacement(for: bytes[range]))]
        }
        let delimiter = Array("--".utf8) + boundary
        var edits: [TextEdit] = []
        var start: Int?
        var line = range.lowerBound
        while line < range.upperBound {
            let end = bytes.index(of: Self.lineFeed, in: line..<range.upperBound)
            if bytes[line..<end].starts(with: delimiter) {
                if let start {
                    // The line break before a delimiter belongs to the delimiter.
                    let last = line - 1
                    let hasReturn = last > start && bytes[last - 1] == UInt8(ascii: "\r")
                    edits += search.edits(
                        inPart: start..<max(start, hasReturn ? last - 1 : last), of: bytes)
                }
                start = min(end + 1, range.upperBound)
            }
            line = end + 1
        }
        guard let start else { return nil }
        return edits + search.edits(inPart: start..<range.upperBound, of: bytes)
    }

    private func edits(inPart range: Range<Int>, of bytes: [UInt8]) -> [TextEdit] {
        var end = range.lowerBound
        var (head, hasBody) = ("", false)
        for line in bytes.ranges(in: range, separatedBy: Self.lineFeed) {
            end = min(line.upperBound + 1, range.upperBound)
            let content = bytes.trimming(.space, line)
            hasBody = content.isEmpty
            if hasBody { break }
            // A field continues in lines that start with a space.
            let isContinued = content.lowerBound > line.lowerBound
            head += (isContinued ? " " : "\n") + String(decoding: bytes[content], as: UTF8.self)
        }
        var (name, contentType, isFile) = ("", String?.none, false)
        for field in head.split(separator: "\n") {
            guard let colon = field.firstIndex(of: ":") else { continue }
            let value = String(field[colon...].dropFirst())
            switch field[..<colon].lowercased() {
            case "content-disposition":
                let parameters = FieldReader.parameters(of: value)
                isFile = parameters["filename"] != nil || parameters["filename*"] != nil
                name = parameters["name"] ?? ""
            case "content-type": contentType = value.trimmingCharacters(in: .whitespaces)
            default: break
            }
        }
        let edits = edits(inLines: range.lowerBound..<end, of: bytes, isScript: false)
        let body = end..<range.upperBound
        guard hasBody, !body.isEmpty else { return edits }
        guard !isFile, hidesItem(named: Array(name.utf8)) else {
            return edits + self.edits(inBody: body, of: bytes, contentType: contentType)
        }
        return bytes.isText(body)
            ? edits + [TextEdit(body, replacement(for: bytes[body]))] : edits
    }

    /// Whether a media type is that of a text.
    private static func isText(_ type: String) -> Bool {
        let name = type.mediaType
        return name.hasPrefix("text/")
            || ["json", "xml", "javascript", "x-www-form-urlencoded"].contains(
                where: name.hasSuffix)
    }

    /// The byte order mark, and texts before JSON that prevent its use as a script.
    private static let prefixes: [StaticString] = [
        "\u{FEFF}", ")]}',", ")]}'", ")]}", "for(;;);", "for (;;);", "while(1);", "while (1);",
        "{}&&", "{} &&", "/**/", "throw 1; <dont be evil>",
    ]
    private static let lineFeed = ByteSet("\n")
    private static let noForm = ByteSet(" \n\r\t<>{}[]()\"'`:")
}

extension [UInt8] {
    /// Whether the bytes are valid UTF-8 without a NUL.
    func isText(_ range: Range<Int>) -> Bool {
        index(of: nulByte, in: range) == range.upperBound
            && String(bytes: self[range], encoding: .utf8) != nil
    }
}

private let nulByte = ByteSet { $0 == 0 }
