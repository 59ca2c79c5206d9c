import APIKit
import Foundation

/// One condition on a request, which can describe a mismatch.
struct Condition: Sendable {
    /// The condition in the description of a pattern.
    let label: String
    /// Returns whether a request meets the condition.
    let accepts: @Sendable (RecordedRequest) -> Bool
    /// Returns the differences of a request that does not meet the condition, one line each.
    let differences: @Sendable (RecordedRequest) -> [String]
    /// The mistake in an invalid condition, which no request meets.
    private(set) var problem: String?

    init(problem: String) {
        self.init(label: "an invalid condition") { _ in
            false
        } differences: { _ in
            [problem]
        }
        self.problem = problem
    }

    init(
        label: String,
        accepts: @escaping @Sendable (RecordedRequest) -> Bool,
        differences: @escaping @Sendable (RecordedRequest) -> [String]
    ) {
        self.label = label
        self.accepts = accepts
        self.differences = differences
    }

    /// Creates a condition on a single value.
    init(
        _ subject: String,
        _ pattern: ValuePattern,
        value: @escaping @Sendable (RecordedRequest) -> String?
    ) {
        self.init(subject, pattern, isSecret: false) { value($0).map { [$0] } ?? [] }
    }

    /// Creates a condition on values with the same name.
    init(
        _ subject: String,
        _ pattern: ValuePattern,
        isSecret: Bool,
        values: @escaping @Sendable (RecordedRequest) -> [String]
    ) {
        let expected = pattern.expectation(masked: isSecret)
        label = "\(subject): \(expected)"
        accepts = { pattern.accepts(values($0)) }
        differences = { request in
            let got = values(request).map { "\"\(isSecret ? Redaction.masked($0) : $0)\"" }
            let shown = got.isEmpty ? "none" : got.joined(separator: " and ")
            let other = isSecret && shown == expected ? " (a different value)" : ""
            return ["\(subject): expected \(expected), got \(shown)\(other)"]
        }
    }
}
