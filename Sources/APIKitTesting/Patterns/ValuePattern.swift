import APIKit
import Foundation

/// A pattern for a value, such as a header field, a query item or a host.
///
/// A string literal matches the whole value.
public struct ValuePattern: Sendable, ExpressibleByStringInterpolation {
    private enum Form: Sendable {
        case equal(String)
        case prefix(String)
        case suffix(String)
        case containing(String)
        case labeled(String)
    }

    private let form: Form
    private let test: @Sendable (String?) -> Bool

    /// Creates a pattern for one exact value.
    public init(_ value: String) {
        form = .equal(value)
        test = { $0 == value }
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
        self.test = test
    }

    private init(_ form: Form, test: @escaping @Sendable (String) -> Bool) {
        self.form = form
        self.test = { $0.map(test) ?? false }
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

    func accepts(_ value: String?) -> Bool { test(value) }

    /// Returns the expected value in words.
    func expectation(masked: Bool) -> String {
        func quoted(_ text: String) -> String {
            "\"\(masked ? Redaction.masked(text) : text.shortened(to: 200))\""
        }
        return switch form {
        case .equal(let text): quoted(text)
        case .prefix(let text): "a value starting with \(quoted(text))"
        case .suffix(let text): "a value ending with \(quoted(text))"
        case .containing(let text): "a value containing \(quoted(text))"
        case .labeled(let label): label
        }
    }
}
