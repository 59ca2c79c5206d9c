import APIKit
import Foundation

/// A form made by chance, and what a parser has to find in it.
struct RandomForm {
    /// A part as a parser sees it.
    struct Field: Equatable, Codable {
        var name: String
        var fileName: String?
        var contentType: String?
        var content: Data
    }

    private(set) var parts: [MultipartForm.Part] = []
    private(set) var fields: [Field] = []

    /// Makes a form whose files are in a directory.
    init(using generator: inout SeededGenerator, in directory: TemporaryDirectory) throws {
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let (name, sentName) = Self.text(of: Self.names, using: &generator)
            let (fileName, sentFileName) = Self.text(of: Self.fileNames, using: &generator)
            let (text, sentText) = Self.text(of: Self.texts, using: &generator)
            let contentType = Bool.random(using: &generator) ? "image/png" : "text/plain; a=\"b\""
            let data =
                Data(text.utf8) + [0, 0xFF, 0x0D].prefix(.random(in: 0...3, using: &generator))
            var field = Field(
                name: sentName, fileName: sentFileName, contentType: contentType, content: data)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                parts.append(.text(name, text))
                field = Field(name: sentName, content: Data(sentText.utf8))
            case 1:
                parts.append(.data(name, data, contentType: contentType))
                field.fileName = nil
            case 2:
                parts.append(.data(name, data, fileName: fileName, contentType: contentType))
            default:
                let url = try directory.file("\(UUID())", data)
                parts.append(.file(name, url, fileName: fileName, contentType: contentType))
            }
            fields.append(field)
        }
    }

    /// Joins pieces by chance: as they are given, and as they are sent.
    private static func text(
        of pieces: [(String, String)], using generator: inout SeededGenerator
    ) -> (String, String) {
        let count = Int.random(in: 0...12, using: &generator)
        let chosen = (0..<count).compactMap { _ in pieces.randomElement(using: &generator) }
        return (chosen.map(\.0).joined(), chosen.map(\.1).joined())
    }

    // No backslash: browsers send it as it is, and parsers take it for an escape.
    private static let plain = [
        "a", "Z", "7", "ä", "e\u{301}", "日", "🐕‍🦺", "%22", ";", "=", ":", "--", "'", "x y",
        "filename=",
    ].map { ($0, $0) }
    private static let names =
        plain + [("\"", "%22"), ("\n", "%0D%0A"), ("\r\n", "%0D%0A"), ("\"\u{301}", "%22\u{301}")]
    private static let fileNames = plain + [("\"", "%22"), ("\n", "%0A"), ("\r\n", "%0D%0A")]
    private static let texts =
        plain + [
            ("\n", "\r\n"), ("\r\n", "\r\n"), ("\"", "\""), ("\\", "\\"), ("\0", "\0"),
            ("\r\n--", "\r\n--"), ("\r\n\r\n", "\r\n\r\n"), ("\r\n--APIKit-", "\r\n--APIKit-"),
        ]
}
