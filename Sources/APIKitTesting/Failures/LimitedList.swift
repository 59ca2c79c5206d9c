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
    private var shown: [String] = []
    private var size = 0
    private let maxShown: Int

    /// Creates an empty list that shows a number of lines.
    init(showing maxShown: Int = .max) {
        self.maxShown = maxShown
    }

    /// Adds a line.
    mutating func add(_ line: @autoclosure () -> String) {
        count += 1
        guard shown.count < maxShown, size < LimitedList.maxSize else { return }
        let line = line().escaped.shortened(to: LimitedList.maxLineLength - 4)
        shown.append(line)
        size += line.utf8.count + 5
    }

    /// Returns the lines, each after a line break, and the number of the other lines.
    func text(of noun: String) -> String {
        let text = shown.map { "\n  - \($0)" }.joined()
        let rest = count - shown.count
        return rest > 0 ? "\(text)\n  … and \(rest) more \(noun)\(rest == 1 ? "" : "s")" : text
    }

    /// The lines as one line, with the number of the other lines.
    var textOnOneLine: String {
        let rest = count - shown.count
        return (shown + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: "; ")
    }
}

extension String {
    /// The text with its line breaks and the other control characters of ASCII escaped.
    var escaped: String {
        guard utf8.contains(where: { $0 < 0x20 }) else { return self }
        return
            unicodeScalars
            .map { $0.value < 0x20 ? $0.escaped(asASCII: true) : String($0) }.joined()
    }
}
