import APIKit
import Foundation

/// A pattern for a value, such as a header field, a query item or a host.
///
/// A string literal matches the whole value, and so does a variable.
public struct ValuePattern: Sendable, ExpressibleByStringInterpolation {
    private enum Form: Sendable {
        /// One of the values is equal.
        case one(ExactText)
        /// The values are equal, in any order.
        case all([ExactText])
        case prefix(String)
        case suffix(String)
        case containing(String)
        case labeled(String, @Sendable (String?) -> Bool)
    }

    private let form: Form

    private init(_ form: Form) {
        self.form = form
    }

    /// Creates a pattern for one exact value, or for all elements of an array.
    ///
    /// If a name repeats, as in a query, one of its values must be equal. An array matches exactly its
    /// values, in any order. `nil` and an empty array match only an absent value. The bytes in UTF-8
    /// decide: `é` differs from `e` with an accent after it.
    public init(_ value: some QueryValue) {
        let texts = value.queryValues.map { ExactText($0) }
        let isOne = texts.count == 1 && !(value is [any QueryValue])
        form = isOne ? .one(texts[0]) : .all(texts)
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
        ValuePattern(.labeled(label, test))
    }

    /// Any value, but not an absent one.
    public static let any = ValuePattern.where("any value") { $0 != nil }

    /// No value at all.
    public static let absent = ValuePattern.where("nothing") { $0 == nil }

    /// A value that starts with a text.
    public static func prefix(_ text: String) -> ValuePattern { ValuePattern(.prefix(text)) }

    /// A value that ends with a text.
    public static func suffix(_ text: String) -> ValuePattern { ValuePattern(.suffix(text)) }

    /// A value that contains a text.
    public static func containing(_ text: String) -> ValuePattern {
        ValuePattern(.containing(text))
    }

    /// A value that a regular expression matches as a whole.
    ///
    /// - Parameter regex: The expression. Write it as a literal, because a stored `Regex` is not
    ///   `Sendable`.
    /// - Returns: The pattern.
    public static func matching<Output>(
        _ regex: @autoclosure @escaping @Sendable () -> Regex<Output>
    ) -> ValuePattern {
        .where("a match of the regular expression") { value in
            value.map { $0.wholeMatch(of: regex()) != nil } ?? false
        }
    }

    /// Returns the pattern with each of its texts changed.
    func mapTexts(_ transform: (String) -> String) -> ValuePattern {
        switch form {
        case .one(let text): ValuePattern(transform(text.string))
        case .all(let texts): ValuePattern(texts.map { transform($0.string) })
        case .prefix(let text): .prefix(transform(text))
        case .suffix(let text): .suffix(transform(text))
        case .containing(let text): .containing(transform(text))
        case .labeled: self
        }
    }

    /// Returns whether the pattern matches the values with one name.
    ///
    /// It never matches bytes that are not UTF-8.
    func accepts(_ values: [RequestForm.Value]) -> Bool {
        let values = values.filter { $0 != .absent }
        guard values.allSatisfy(\.isText) else { return false }
        let texts = values.map(\.text)
        return switch form {
        case .one(let text): texts.contains { ExactText($0) == text }
        case .all(let expected): texts.map { ExactText($0) }.sorted() == expected.sorted()
        case .prefix(let text): texts.contains { $0.utf8.starts(with: text.utf8) }
        case .suffix(let text):
            texts.contains { $0.utf8.suffix(text.utf8.count).elementsEqual(text.utf8) }
        case .containing(let text):
            texts.contains { text.isEmpty || Data($0.utf8).range(of: Data(text.utf8)) != nil }
        case .labeled(_, let test): texts.isEmpty ? test(nil) : texts.contains(where: test)
        }
    }

    /// The expected value in words.
    var expectation: String {
        switch form {
        case .one(let text): text.string.quoted
        case .all(let texts):
            texts.isEmpty
                ? "nothing"
                : texts.map(\.string.quoted).joined(separator: " and ")
        case .prefix(let text): "a value starting with \(text.quoted)"
        case .suffix(let text): "a value ending with \(text.quoted)"
        case .containing(let text): "a value containing \(text.quoted)"
        case .labeled(let label, _): label
        }
    }
}
