import Foundation
import Testing

/// The page *Messages, A to Z* and the sources have the same texts.
@Suite(.inTurn) struct MessagesTests {
    @Test func everyTextOfTheSourcesIsOnThePage() throws {
        let rows = try Row.all()

        for text in try SourceText.shown() where !rows.contains(where: { $0.shows(text) }) {
            Issue.record(
                """
                No row of \(Row.page) has this text of \(text.path). Add it to a table:
                | `\(text.longest)` | MEANING | WHAT TO DO |
                """)
        }
    }

    @Test func everyRowIsInTheSources() throws {
        let pieces = try SourceText.pieces().joined(separator: "\n")

        for row in try Row.all() where !row.isOfTheCompiler {
            for text in row.texts where !pieces.contains(text) {
                Issue.record(
                    """
                    No literal of the sources has the text in line \(row.line) of \(Row.page). \
                    Remove it, or write it as it is now:
                    \(text)
                    """)
            }
        }
    }
}

/// A row of the page.
private struct Row {
    static let page = "Sources/APIKitTesting/APIKitTesting.docc/Articles/messages.md"

    let line: Int
    /// For each code of the first cell, its longest piece between ellipses.
    let texts: [String]
    let isOfTheCompiler: Bool

    func shows(_ text: SourceText) -> Bool {
        texts.contains { row in text.pieces.contains { $0.contains(row) } }
    }

    static func all() throws -> [Row] {
        var section = ""
        return try Documentation.lines(of: page).enumerated().compactMap { index, line in
            if line.hasPrefix("#") { section = line }
            guard line.hasPrefix("| "), let cell = line.split(separator: " | ").first else {
                return nil
            }
            let texts = cell.matches(of: /`([^`]+)`/).map { code in
                code.output.1.split(separator: "…").max { $0.count < $1.count }
                    .map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
            }
            return texts.isEmpty
                ? nil
                : Row(
                    line: index + 1, texts: texts,
                    isOfTheCompiler: section.hasSuffix("compiler"))
        }
    }
}
