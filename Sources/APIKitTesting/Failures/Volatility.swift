import APIKit

/// The kinds of values that change with each run of a test.
enum Volatility: Hashable {
    case number, date, uuid, random

    /// The kind of a value, or `nil` for a word or a sentence.
    init?(_ text: String) {
        let shape = ValueShape(Array(text.utf8))
        if text.utf8.count <= 20, text.first?.isLetter == false, Double(text) != nil {
            self = .number
        } else if shape.isUUID {
            self = .uuid
        } else if shape.isDate {
            self = .date
        } else if shape.isRandom {
            self = .random
        } else {
            return nil
        }
    }

    /// Returns the Swift code that makes a cassette ignore a difference, such as
    /// `.query(ignoring: "ts")`, for the hint in a failure.
    ///
    /// - Returns: The code, or `nil` unless both values are of the same kind.
    static func ignoring(
        _ expected: String, _ got: String, _ component: String, _ name: String
    ) -> String? {
        guard let kind = Volatility(expected), kind == Volatility(got) else { return nil }
        return "\(component)(ignoring: \(name.debugDescription))"
    }
}
