import APIKit

/// The kinds of values that change with each run of a test.
enum Volatility: Hashable {
    case number, date, uuid, random

    /// The kind of a value, or `nil` for a word or a sentence.
    init?(_ text: String) {
        let shape = TextShape(text)
        if text.utf8.count <= 20, text.first?.isLetter == false, Double(text) != nil {
            self = .number
        } else if shape.isUUID {
            self = .uuid
        } else if shape.isDate {
            self = .date
        } else if shape.isRandom(from: 8) {
            self = .random
        } else {
            return nil
        }
    }

    /// Returns whether two values are of the same kind.
    static func isSame(_ expected: String, _ got: String) -> Bool {
        Volatility(expected).map { $0 == Volatility(got) } ?? false
    }
}
