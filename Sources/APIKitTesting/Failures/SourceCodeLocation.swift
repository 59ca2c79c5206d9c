/// A location in the source code of a test.
struct SourceCodeLocation: Sendable, Hashable {
    let fileID: String
    let filePath: StaticString
    let line: Int
    let column: Int

    init(_ fileID: StaticString, _ filePath: StaticString, _ line: Int, _ column: Int) {
        self.fileID = "\(fileID)"
        self.filePath = filePath
        // Swift Testing traps on numbers below 1.
        self.line = max(1, line)
        self.column = max(1, column)
    }

    /// The file name and the line, for messages.
    var text: String {
        "\(fileID.split(separator: "/").last ?? ""):\(line)"
    }

    static func == (first: SourceCodeLocation, second: SourceCodeLocation) -> Bool {
        first.fileID == second.fileID && first.line == second.line && first.column == second.column
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(fileID)
        hasher.combine(line)
        hasher.combine(column)
    }
}
