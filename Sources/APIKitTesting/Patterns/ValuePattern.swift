import APIKit
import Foundation

/// A pattern for a value, such as a header field, a query item or a host.
///
/// A string literal matches the whole value, and so does a variable.
public struct ValuePattern: Sendable, ExpressibleByStringInterpolation {
    /// The expected value in words, before the texts.
    private let words: String
    private let texts: [String]
    private let test: @Sendable (_ values: [String], _ texts: [String]) -> Bool

    private init(
        _ words: String, _ texts: [String] = [],
        test: @escaping @Sendable (_ values: [String], _ texts: [String]) -> Bool
    ) {
        (self.words, self.texts, self.test) = (words, texts, test)
    }

    /// Creates a pattern that one of the values must match.
    private init(
        _ words: String, _ text: String,
        test: @escaping @Sendable (_ value: String.UTF8View, _ text: String.UTF8View) -> Bool
    ) {
        self.init(words, [text]) { values, texts in
            values.contains { value in texts.contains { test(value.utf8, $0.utf8) } }
        }
    }

    /// Creates a pattern for one exact value, or for all elements of an array.
    ///
    /// If a name repeats, as in a query, one of its values must be equal. An array matches exactly its
    /// values, in any order. `nil` and an empty array match only an absent value. The bytes in UTF-8
    /// decide: `é` differs from `e` with an accent after it.
    public init(_ value: some QueryValue) {
        let isOne = value.queryValues.count == 1 && !(value is [any QueryValue])
        self.init("", value.queryValues) { values, texts in
            let (values, texts) = (values.map { ExactText($0) }, texts.map { ExactText($0) })
            return isOne ? values.contains(texts[0]) : values.sorted() == texts.sorted()
        }
    }

    /// Creates a pattern for one exact value.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// Returns a pattern for the values that a closure accepts.
    ///
    /// - Parameters:
    ///   - label: The expected value in a failure, such as "an even number".
    ///   - test: Returns whether a value matches. An absent value is `nil`.
    /// - Returns: The pattern.
    public static func `where`(
        _ label: String, _ test: @escaping @Sendable (String?) -> Bool
    ) -> ValuePattern {
        ValuePattern(label) { values, _ in
            values.isEmpty ? test(nil) : values.contains(where: test)
        }
    }

    /// Any value, but not an absent one.
    public static let any = ValuePattern.where("any value") { $0 != nil }

    /// No value at all.
    public static let absent = ValuePattern.where("nothing") { $0 == nil }

    /// A value that starts with a text.
    public static func prefix(_ text: String) -> ValuePattern {
        ValuePattern("a value starting with ", text) { $0.starts(with: $1) }
    }

    /// A value that ends with a text.
    public static func suffix(_ text: String) -> ValuePattern {
        ValuePattern("a value ending with ", text) { $0.suffix($1.count).elementsEqual($1) }
    }

    /// A value that contains a text.
    public static func containing(_ text: String) -> ValuePattern {
        ValuePattern("a value containing ", text) {
            $1.isEmpty || Data($0).range(of: Data($1)) != nil
        }
    }

    /// A value that a regular expression matches as a whole.
    ///
    /// Write the expression as a literal, because a stored `Regex` is not `Sendable`.
    public static func matching<Output>(
        _ regex: @autoclosure @escaping @Sendable () -> Regex<Output>
    ) -> ValuePattern {
        .where("a match of the regular expression") { value in
            value.map { $0.wholeMatch(of: regex()) != nil } ?? false
        }
    }

    /// Returns the pattern with each of its texts changed.
    func mapTexts(_ transform: (String) -> String) -> ValuePattern {
        ValuePattern(words, texts.map(transform), test: test)
    }

    /// Returns whether the pattern matches the values with one name.
    ///
    /// It never matches bytes that are not UTF-8.
    func accepts(_ values: [NamedValues.Value]) -> Bool {
        values.allSatisfy(\.isText) && test(values.map(\.text), texts)
    }

    /// The expected values in words.
    var expectation: String {
        let text = words + texts.map(\.quoted).joined(separator: " and ")
        return text.isEmpty ? "nothing" : text
    }
}
