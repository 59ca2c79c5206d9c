import APIKit
import Foundation

/// A pattern for a value, such as a header field, a query item or a host.
///
/// A string literal matches the whole value, and so does a variable.
public struct ValuePattern: Sendable, ExpressibleByStringInterpolation {
    private enum Form: Sendable {
        case equal([String])
        case prefix(String)
        case suffix(String)
        case containing(String)
        case labeled(String)
    }

    private let form: Form
    private let test: @Sendable ([String]) -> Bool

    /// Creates a pattern for one exact value, or for all elements of an array.
    ///
    /// If a name repeats, as in a query, one of its values must be equal. An array
    /// matches exactly its values, in any order. `nil` and an empty array match only an absent value.
    public init(_ value: some QueryValue) {
        let texts = value.queryValues
        form = .equal(texts)
        if texts.count == 1, !(value is [any QueryValue]) {
            test = { $0.contains(texts[0]) }
        } else {
            let expected = texts.sorted()
            test = { $0.sorted() == expected }
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
        ValuePattern(label, test)
    }

    private init(_ label: String, _ test: @escaping @Sendable (String?) -> Bool) {
        form = .labeled(label)
        self.test = { values in
            values.isEmpty ? test(nil) : values.contains { test($0) }
        }
    }

    private init(_ form: Form, test: @escaping @Sendable (String) -> Bool) {
        self.form = form
        self.test = { $0.contains(where: test) }
    }

    /// Any value, but not an absent one.
    public static let any = ValuePattern.where("any value") { $0 != nil }

    /// No value at all.
    public static let absent = ValuePattern.where("none") { $0 == nil }

    /// A value that starts with a text.
    public static func prefix(_ text: String) -> ValuePattern {
        ValuePattern(.prefix(text)) { $0.hasPrefix(text) }
    }

    /// A value that ends with a text.
    public static func suffix(_ text: String) -> ValuePattern {
        ValuePattern(.suffix(text)) { $0.hasSuffix(text) }
    }

    /// A value that contains a text.
    public static func containing(_ text: String) -> ValuePattern {
        ValuePattern(.containing(text)) { $0.contains(text) }
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
        case .equal(let texts): ValuePattern(texts.map(transform))
        case .prefix(let text): .prefix(transform(text))
        case .suffix(let text): .suffix(transform(text))
        case .containing(let text): .containing(transform(text))
        case .labeled: self
        }
    }

    /// Returns whether the pattern matches the values with the same name.
    func accepts(_ values: [String]) -> Bool { test(values) }

    func accepts(_ value: String?) -> Bool { test(value.map { [$0] } ?? []) }

    /// Returns the expected value in words.
    func expectation(masked: Bool) -> String {
        switch form {
        case .equal(let texts):
            texts.isEmpty
                ? "none" : texts.map { $0.quoted(masked: masked) }.joined(separator: " and ")
        case .prefix(let text): "a value starting with \(text.quoted(masked: masked))"
        case .suffix(let text): "a value ending with \(text.quoted(masked: masked))"
        case .containing(let text): "a value containing \(text.quoted(masked: masked))"
        case .labeled(let label): label
        }
    }
}
