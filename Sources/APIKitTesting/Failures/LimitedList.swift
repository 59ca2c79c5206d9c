import APIKit

/// A list in a failure, with a limited length.
///
/// A failure has at most 64 KiB, and a line has at most 500 characters. The list only counts the
/// lines after its limit, because all sessions share the loading thread, which makes the failure.
struct LimitedList {
    // The rest of the 64 KiB is for the last line and the text before the list.
    private static let maxSize = 56 << 10
    private static let maxLineLength = 500

    /// The number of all lines.
    private(set) var count = 0
    private var shown = 0
    private let maxShown: Int
    private var text = ""

    /// Creates an empty list that shows a number of lines.
    init(showing maxShown: Int = .max) {
        self.maxShown = maxShown
    }

    /// Adds a line.
    mutating func add(_ line: @autoclosure () -> String) {
        count += 1
        guard shown < maxShown, text.utf8.count < LimitedList.maxSize else { return }
        shown += 1
        text += "\n" + "  - \(line())".shortened(to: LimitedList.maxLineLength)
    }

    /// Returns the lines, each after a line break, and the number of the other lines.
    func text(of noun: String) -> String {
        let rest = count - shown
        return rest > 0 ? "\(text)\n  … and \(rest) more \(noun)\(rest == 1 ? "" : "s")" : text
    }
}
