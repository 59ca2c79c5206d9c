import APIKit

/// A list in a failure, with a limited length.
///
/// A failure has at most 64 KiB and about 40 lines, and a line has at most 500 characters. The list
/// only counts the lines after its limit, because the thread that makes the failure serves all
/// sessions.
struct LimitedList {
    // The rest of the 64 KiB is for the last line and the text before the list.
    private static let maxSize = 56 << 10
    private static let maxLineLength = 500

    /// The remark on two values that look the same in the failure.
    static let differentValue = " (a different value)"

    /// The number of lines, including omitted lines.
    private(set) var count = 0
    private var shown: [String] = []
    private var size = 0
    private let maxShown: Int
    /// The Swift code of the cassette components that ignore the differences.
    private(set) var remedies: Set<String> = []
    /// The number of differences that have such a component.
    private var remedyCount = 0

    /// Creates an empty list that shows a number of lines.
    init(showing maxShown: Int = 36) {
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

    /// Adds the line of a difference, in the format that all failures use.
    ///
    /// - Parameters:
    ///   - subject: The part of the request, or `nil` for the whole request.
    ///   - expected: The expected value.
    ///   - got: The value of the request.
    ///   - remark: The end of the line. By default it marks values that look the same after masking
    ///     or shortening.
    ///   - remedy: The component of a cassette that ignores the difference, if both values are of a
    ///     kind that changes with each run.
    mutating func addDifference(
        _ subject: String? = nil, expected: String, got: String, remark: String? = nil,
        ignoring remedy: String? = nil
    ) {
        let place = subject.map { "\($0): " } ?? ""
        let remark = remark ?? (expected == got ? LimitedList.differentValue : "")
        add("\(place)expected \(expected), got \(got)\(remark)")
        guard let remedy else { return }
        remedies.insert(remedy)
        remedyCount += 1
    }

    /// Whether a cassette can ignore each of the differences.
    var isVolatile: Bool { count > 0 && remedyCount == count }

    /// Returns the lines, each after a line break, and the number of omitted lines.
    func text(of noun: String) -> String {
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
    /// Returns the text in quotes, masked if it is a secret, and with at most 200 characters.
    func quoted(masked: Bool) -> String {
        "\"\(masked ? Redaction.masked(self) : shortened(to: 200))\""
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
