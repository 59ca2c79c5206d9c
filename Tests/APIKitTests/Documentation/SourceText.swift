import Foundation

/// A text of the sources that a test, an error or the console shows.
struct SourceText {
    /// The file of the call that has the text.
    let path: String
    /// Its pieces between interpolations and line breaks.
    let pieces: [String]

    /// The piece by which a reader searches.
    var longest: String { pieces.max { $0.count < $1.count } ?? "" }

    /// The texts of the calls that make failures, errors of requests and notices, and those of the
    /// messages of the compiler.
    ///
    /// A call without a piece of several words passes on the text of another call, such as of `fail`. Or
    /// the text is in a function or property whose name has the word problem or mistake.
    /// Traps, and the texts for a client of a port that sends no HTTP, need no page.
    static func shown() throws -> [SourceText] {
        let names = [
            "TestFailure", ".invalid", ".invalidRequest", "Mistake", "Notice.write",
            "MockLoadingError", "refusal", "fail", "report",
        ]
        let pages = try files.get().filter { !$0.path.hasSuffix("/PortRequest.swift") }
        return pages.flatMap { file in
            let calls = file.arguments(ofCallsTo: names).map { start in
                let range = start..<file.end(of: ("(", ")"), from: start)
                return file.literals.filter { range.contains($0.start) }.flatMap(\.pieces)
            }
            let literals =
                file.literals(labelled: "message:")
                + file.literals(inBodiesOf: ["problem", "mistake"])
            return (calls + literals.map(\.pieces)).map { SourceText(path: file.path, pieces: $0) }
                .filter { $0.longest.count >= 10 && $0.longest.contains(" ") }
        }
    }

    /// The pieces of all literals.
    static func pieces() throws -> [String] {
        try files.get().flatMap { $0.literals.flatMap(\.pieces) }
    }

    private static let files = Result {
        try Documentation.sources().map { SourceFile($0, try Documentation.text(of: $0)) }
    }
}

/// A source file, its literals, and its code with spaces in place of literals and comments.
private struct SourceFile: Sendable {
    struct Literal: Sendable {
        let start: String.Index
        var pieces: [String] = []
    }

    let path: String
    let code: String
    private(set) var literals: [Literal] = []

    init(_ path: String, _ text: String) {
        self.path = path
        var scalars = Array(text.unicodeScalars)
        // Each scalar of the code keeps its offset, so that a literal can be found by it.
        var found: [(start: Int, pieces: [String])] = []
        var reader = LiteralReader(scalars: scalars)
        while reader.index < scalars.count {
            let start = reader.index
            guard reader.skip(into: &found) else {
                reader.index += 1
                continue
            }
            for index in start..<min(reader.index, scalars.count) where scalars[index] != "\n" {
                scalars[index] = " "
            }
        }
        var code = String.UnicodeScalarView()
        code.append(contentsOf: scalars)
        self.code = String(code)
        var (index, offset) = (self.code.startIndex, 0)
        literals = found.map { literal in
            index = self.code.unicodeScalars.index(index, offsetBy: literal.start - offset)
            offset = literal.start
            return Literal(start: index, pieces: literal.pieces)
        }
    }

    /// The places after the parentheses that open the arguments of calls.
    func arguments(ofCallsTo names: [String]) -> [String.Index] {
        var index = code.startIndex
        return code.components(separatedBy: "(").dropLast().compactMap { piece in
            index = code.utf8.index(index, offsetBy: piece.utf8.count + 1)
            return names.contains(where: piece.hasSuffix) ? index : nil
        }
    }

    /// The end of what a bracket before an index opens.
    func end(of brackets: (Character, Character), from start: String.Index) -> String.Index {
        var depth = 1
        return code[start...].firstIndex { character in
            depth += character == brackets.0 ? 1 : character == brackets.1 ? -1 : 0
            return depth == 0
        } ?? code.endIndex
    }

    /// The literals after a label.
    func literals(labelled label: String) -> [Literal] {
        literals.filter {
            code[..<$0.start].reversed().drop(while: \.isWhitespace).starts(with: label.reversed())
        }
    }

    /// The literals in functions and computed properties whose names have a word.
    ///
    /// A literal after `+` continues another.
    func literals(inBodiesOf words: [String]) -> [Literal] {
        let bodies = code.split(separator: "\n").compactMap { line -> Range<String.Index>? in
            guard words.contains(where: line.lowercased().contains) else { return nil }
            let names = line.split { !$0.isLetter }
            guard let keyword = names.firstIndex(where: { ["func", "var"].contains($0) }),
                let name = names.dropFirst(keyword + 1).first?.lowercased(),
                words.contains(where: name.contains),
                names[keyword] == "func" || line.contains("{"),
                let brace = code[line.startIndex...].firstIndex(of: "{")
            else { return nil }
            let start = code.index(after: brace)
            return start..<end(of: ("{", "}"), from: start)
        }
        return literals.filter { literal in
            code[..<literal.start].last { !$0.isWhitespace } != "+"
                && bodies.contains { $0.contains(literal.start) }
        }
    }
}

/// Reads string literals, and skips comments and regular expressions.
private struct LiteralReader {
    let scalars: [Unicode.Scalar]
    var index = 0

    /// Skips what starts here and is no code, and adds the literals in it.
    mutating func skip(into found: inout [(start: Int, pieces: [String])]) -> Bool {
        let scalar = scalars[index]
        guard scalar == "/" || scalar == "#" || scalar == "\"" else { return false }
        if starts(with: "//") {
            index = scalars[index...].firstIndex(of: "\n") ?? scalars.count
        } else if starts(with: "#/") {
            index += 2
            while index < scalars.count, !starts(with: "/#") { index += 1 }
            index += 2
        } else if let quote = ["\"\"\"", "#\"", "\""].first(where: starts) {
            readLiteral(quote: quote, into: &found)
        } else {
            return false
        }
        return true
    }

    private mutating func readLiteral(
        quote: String, into found: inout [(start: Int, pieces: [String])]
    ) {
        let (start, isRaw) = (index, quote.hasPrefix("#"))
        let (end, escape) = (isRaw ? "\"#" : quote, isRaw ? "\\#" : "\\")
        var pieces = [""]
        index += quote.count
        while index < scalars.count, !starts(with: end) {
            if starts(with: escape + "(") {
                index += escape.count + 1
                skipInterpolation(into: &found)
                pieces.append("")
            } else if starts(with: escape), !isRaw {
                if scalars[index + 1] == "n" { pieces.append("") }
                // A backslash at the end of a line joins two lines.
                if !["n", "\n"].contains(scalars[index + 1]) {
                    pieces[pieces.count - 1].unicodeScalars.append(scalars[index + 1])
                }
                index += 2
            } else {
                if scalars[index] == "\n" { pieces.append("") }
                pieces[pieces.count - 1].unicodeScalars.append(scalars[index])
                index += 1
            }
        }
        index += end.count
        found.append(
            (start, pieces.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }))
    }

    private mutating func skipInterpolation(into found: inout [(start: Int, pieces: [String])]) {
        var depth = 1
        while index < scalars.count, depth > 0 {
            if skip(into: &found) { continue }
            depth += scalars[index] == "(" ? 1 : scalars[index] == ")" ? -1 : 0
            index += 1
        }
    }

    private func starts(with text: String) -> Bool {
        scalars[index] == text.unicodeScalars.first
            && scalars[index...].starts(with: text.unicodeScalars)
    }
}
