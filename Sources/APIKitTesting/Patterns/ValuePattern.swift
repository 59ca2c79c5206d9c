import APIKit
import Foundation

/// A condition on one value: of a header, a query item, a host.
///
/// A string literal is the whole value.
public struct ValuePattern: Sendable, ExpressibleByStringInterpolation {
    private enum Form: Sendable {
        case equal(String)
        case prefix(String)
        case suffix(String)
        case containing(String)
        case labelled(String)
    }

    private let form: Form
    private let test: @Sendable (String?) -> Bool

    /// Creates a pattern for one value, whole and in this spelling.
    public init(_ value: String) {
        form = .equal(value)
        test = { $0 == value }
    }

    /// Creates a pattern for one value, whole and in this spelling.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// Returns a pattern that a closure decides.
    ///
    /// - Parameters:
    ///   - label: What the value has to be, as a failure would say it: "an even number".
    ///   - test: Tells whether a value is that; `nil` stands for an absent one.
    /// - Returns: The pattern.
    public static func `where`(
        _ label: String, _ test: @escaping @Sendable (String?) -> Bool
    ) -> ValuePattern {
        ValuePattern(label, test)
    }

    private init(_ label: String, _ test: @escaping @Sendable (String?) -> Bool) {
        form = .labelled(label)
        self.test = test
    }

    private init(_ form: Form, test: @escaping @Sendable (String) -> Bool) {
        self.form = form
        self.test = { $0.map(test) ?? false }
    }

    /// Any value, but not the absence of one.
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

    /// A value that a regular expression matches from its start to its end.
    ///
    /// - Parameter regex: The expression, written as a literal here, as no stored one can be shared
    ///   between threads.
    /// - Returns: The pattern.
    public static func matching<Output>(
        _ regex: @autoclosure @escaping @Sendable () -> Regex<Output>
    ) -> ValuePattern {
        .where("a match of the regular expression") { value in
            value.map { $0.wholeMatch(of: regex()) != nil } ?? false
        }
    }

    func accepts(_ value: String?) -> Bool { test(value) }

    /// What is expected, in words, with the texts that may be secret masked.
    func expectation(masked: Bool) -> String {
        func quoted(_ text: String) -> String { "\"\(masked ? Redaction.masked(text) : text)\"" }
        return switch form {
        case .equal(let text): quoted(text)
        case .prefix(let text): "a value starting with \(quoted(text))"
        case .suffix(let text): "a value ending with \(quoted(text))"
        case .containing(let text): "a value containing \(quoted(text))"
        case .labelled(let label): label
        }
    }
}
