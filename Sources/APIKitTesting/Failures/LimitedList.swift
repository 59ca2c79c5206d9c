import APIKit
import Foundation

/// A list in a failure, with a limited length.
///
/// A failure has at most 64 KiB and about 40 lines, and a line has at most 500 characters. The list
/// only counts the lines after its limit, because the thread that makes the failure serves all
/// sessions.
struct LimitedList {
    // The rest of the 64 KiB is for the last line and the text before the list.
    private static let maxSize = 56 << 10
    private static let maxLineLength = 500

    /// The number of lines, including omitted lines.
    private(set) var count = 0
    private var shown: [String] = []
    private var size = 0
    private let maxShown: Int
    /// The number of differences of values that change with each run.
    private var volatileCount = 0

    /// Creates a list that shows a number of lines.
    init(_ lines: some Sequence<String> = [], showing maxShown: Int = 36) {
        self.init(lines, showing: maxShown) { $0 }
    }

    /// Creates a list with a line for each item, which is made only if the list shows it.
    init<Item>(
        _ items: some Sequence<Item>, showing maxShown: Int = 36, line: (Item) -> String
    ) {
        self.maxShown = maxShown
        for item in items { add(line(item)) }
    }

    /// Whether the list shows no line.
    var onlyCounts: Bool { maxShown == 0 }

    /// Adds a line.
    mutating func add(_ line: @autoclosure () -> String) {
        count += 1
        guard shown.count < maxShown, size < LimitedList.maxSize else { return }
        let line = line().escaped.shortened(to: LimitedList.maxLineLength - 4)
        shown.append(line)
        size += line.utf8.count + 5
    }

    /// Adds the line of a difference, in the format that all failures use.
    ///
    /// - Parameters:
    ///   - subject: The name of the compared values, or `nil` for the whole request.
    ///   - expected: The expected value.
    ///   - got: The value of the request.
    ///   - remark: The end of the line.
    ///   - isVolatile: Whether both values are of a kind that changes with each run.
    mutating func addDifference(
        _ subject: String? = nil, expected: @autoclosure () -> String,
        got: @autoclosure () -> String, remark: @autoclosure () -> String = "",
        isVolatile: @autoclosure () -> Bool = false
    ) {
        if volatileCount == count, isVolatile() { volatileCount += 1 }
        add(
            {
                let (expected, got) = (expected(), got())
                // They look the same after masking or shortening.
                let isSame = expected == got ? " (a different value)" : ""
                let place = subject.map { "\($0): " } ?? ""
                return "\(place)expected \(expected), got \(got)\(remark())\(isSame)"
            }())
    }

    /// Whether all differences, of which there is one at least, are of values that change with each run.
    var isVolatile: Bool { volatileCount == count }

    /// Returns the lines, each after a line break, and the number of omitted lines.
    func lines(noun: String) -> String {
        let text = shown.map { "\n  - \($0)" }.joined()
        let rest = count - shown.count
        return rest > 0 ? "\(text)\n  … and \(rest) more \(noun)\(rest == 1 ? "" : "s")" : text
    }

    /// The lines joined on one line, with the number of omitted lines.
    var textOnOneLine: String {
        let rest = count - shown.count
        return (shown + (rest > 0 ? ["and \(rest) more"] : [])).joined(separator: "; ")
    }
}

extension String {
    /// The text in quotes, with at most 200 characters.
    var quoted: String { "\"\(shortened(to: 200).distinct)\"" }

    /// Returns the text in quotes, masked if it is a secret, and with at most 200 characters.
    func quoted(masked: Bool) -> String {
        masked && !isEmpty
            ? Redaction.hidden(self).quoted : Redaction.secrets.masked(start).quoted
    }

    /// The first 65,536 Unicode scalars of the text, because masking more takes too long.
    var start: String { String(unicodeScalars.prefix(1 << 16)) }

    /// The text with escapes if another text of other bytes looks the same, such as `e\u{301}`.
    var distinct: String {
        guard !utf8.elementsEqual(precomposedStringWithCanonicalMapping.utf8) else { return self }
        return unicodeScalars.map { $0.isASCII ? String($0) : $0.escaped(asASCII: true) }.joined()
    }

    /// The text with escapes for the characters that end a line or change how the text appears.
    var escaped: String {
        guard unicodeScalars.contains(where: \.isHidden) else { return self }
        return unicodeScalars.map { $0.isHidden ? $0.escaped(asASCII: true) : String($0) }.joined()
    }
}

extension Unicode.Scalar {
    /// Whether the character is a control character, a line separator or changes the direction.
    fileprivate var isHidden: Bool {
        // Properties are slow, and most texts are ASCII.
        if isASCII { return value < 0x20 || value == 0x7F }
        return [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
            || properties.isBidiControl
    }
}
