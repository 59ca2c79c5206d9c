import Foundation

/// The pages of the documentation, and the snippets that contain their code.
///
/// A source file whose documentation comments contain code is a page too.
enum Documentation {
    /// A part of a snippet, from `// snippet.NAME` to `// snippet.end`, without its indentation.
    struct Slice {
        let name: String
        var code = ""
    }

    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The README files, the pages of the catalogs, and the source files with code, as paths.
    static func pages() throws -> [String] { try allBlocks.get().keys.sorted() }

    /// The blocks of each page, which are read once.
    private static let allBlocks = Result {
        let texts =
            try readmes() + files(below: "Sources", named: ".md").filter { $0.contains(".docc/") }
        let code = try sources().map { ($0, try readBlocks(of: $0)) }.filter { !$0.1.isEmpty }
        return Dictionary(
            uniqueKeysWithValues: try texts.map { ($0, try readBlocks(of: $0)) } + code)
    }

    /// The README files of the folders that a newcomer reads, as paths.
    static func readmes() throws -> [String] {
        try ["README.md"]
            + ["Examples", "Tests/ScenarioTests"].flatMap {
                try files(below: $0, named: "README.md")
            }
    }

    /// The files and folders that a page links to, as paths from its folder.
    static func links(of page: String) throws -> [String] {
        try lines(of: page).flatMap { line in
            line.matches(of: /\]\(([^)#\s]+)/).map { String($0.output.1) }
        }
        .filter { !$0.contains(":") }
    }

    /// Whether the file or folder of a link exists.
    static func exists(_ link: String, in page: String) -> Bool {
        let folder = root.appending(path: page).deletingLastPathComponent()
        return FileManager.default.fileExists(atPath: folder.appending(path: link).path)
    }

    /// The Swift blocks of a page, without the parts of a manifest and without blocks of imports.
    ///
    /// In a catalog or a documentation comment, a block is Swift unless it is marked as text or shell.
    /// `.ci/tutorial` checks the blocks of the tutorial.
    static func blocks(of page: String) throws -> [String] { try allBlocks.get()[page] ?? [] }

    private static func readBlocks(of page: String) throws -> [String] {
        guard !page.hasSuffix("/your-first-client.md") else { return [] }
        var blocks: [String] = []
        var open: (isSwift: Bool, code: String)?
        let isRendered = page.hasPrefix("Sources/")
        for line in try page.hasSuffix(".swift") ? comments(of: page) : lines(of: page) {
            guard let language = line.trimmed.fence else {
                open?.code += line + "\n"
                continue
            }
            if let block = open {
                if block.isSwift { blocks.append(block.code) }
                open = nil
            } else {
                open = (
                    isRendered ? !["text", "shell"].contains(language) : language == "swift", ""
                )
            }
        }
        return blocks.filter {
            !$0.hasPrefix("platforms:") && !$0.hasPrefix(".product(")
                && !$0.hasSuffix("\n@testable import DogPatch\n")
        }
    }

    /// The source files of both modules, as paths.
    static func sources() throws -> [String] { try files(below: "Sources", named: ".swift") }

    /// The slices of all snippets, which are read once.
    static func slices() throws -> [Slice] { try allSlices.get() }

    private static let allSlices = Result {
        let snippets =
            try files(below: "Examples/Snippets", named: ".swift")
            + ["Examples/AsyncHTTPClientTransport", "Tests"].flatMap {
                try files(below: $0, named: ".swift").filter { $0.contains("/Snippets/") }
            }
        return try snippets.flatMap(slices)
    }

    private static func slices(of snippet: String) throws -> [Slice] {
        var slices: [Slice] = []
        var slice: Slice?
        for line in try lines(of: snippet) {
            if let mark = line.trimmed.snippetMark {
                if let slice { slices.append(slice) }
                slice = mark == "end" ? nil : Slice(name: "\(mark) of \(snippet)")
            } else {
                slice?.code += line + "\n"
            }
        }
        return slices.map { Slice(name: $0.name, code: $0.code.withoutIndentation) }
    }

    private static func files(below folder: String, named ending: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
            .filter { $0.hasSuffix(ending) && !$0.contains("/.build/") }
            .sorted()
            .map { "\(folder)/\($0)" }
    }

    /// The lines of the documentation comments of a source file, without their slashes.
    private static func comments(of file: String) throws -> [String] {
        try lines(of: file).compactMap { line in
            let text = line.utf8.drop { $0 == UInt8(ascii: " ") }
            guard text.starts(with: "///".utf8) else { return nil }
            return String(text.dropFirst(text.starts(with: "/// ".utf8) ? 4 : 3))
        }
    }

    /// The lines of a file.
    static func lines(of file: String) throws -> [String] {
        try text(of: file).components(separatedBy: "\n")
    }

    static func text(of file: String) throws -> String {
        try String(contentsOf: root.appending(path: file), encoding: .utf8)
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }

    /// The text after the fence, or `nil` if the line is not a fence.
    fileprivate var fence: String? { hasPrefix("```") ? String(dropFirst(3)) : nil }

    fileprivate var snippetMark: String? {
        hasPrefix("// snippet.") ? String(dropFirst("// snippet.".count)) : nil
    }

    fileprivate var withoutIndentation: String {
        let lines = components(separatedBy: "\n")
        let margin = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { String($0.dropFirst(margin)) }.joined(separator: "\n")
    }
}
