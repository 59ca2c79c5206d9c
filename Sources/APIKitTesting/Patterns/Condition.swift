import APIKit
import Foundation

/// One condition on a request that can say what it expected and what it got.
struct Condition: Sendable {
    /// The condition in the description of a pattern.
    let label: String
    /// Tells whether a request meets the condition.
    let accepts: @Sendable (RecordedRequest) -> Bool
    /// Says, in a line for each difference, why a request does not meet it.
    let differences: @Sendable (RecordedRequest) -> [String]
    /// What is wrong with the condition itself, so that nothing can meet it.
    private(set) var problem: String?

    init(problem: String) {
        self.init(label: "a condition that is wrong") { _ in
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

    /// A condition on the only value of its kind.
    init(
        _ subject: String,
        _ pattern: ValuePattern,
        value: @escaping @Sendable (RecordedRequest) -> String?
    ) {
        self.init(subject, pattern, isSecret: false) { value($0).map { [$0] } ?? [] }
    }

    /// A condition on any one of the values of a name; none at all is the absence of a value.
    init(
        _ subject: String,
        _ pattern: ValuePattern,
        isSecret: Bool,
        values: @escaping @Sendable (RecordedRequest) -> [String]
    ) {
        let expected = pattern.expectation(masked: isSecret)
        label = "\(subject): \(expected)"
        accepts = { request in
            let values = values(request)
            return values.isEmpty
                ? pattern.accepts(nil) : values.contains { pattern.accepts($0) }
        }
        differences = { request in
            let got = values(request).map { "\"\(isSecret ? Redaction.masked($0) : $0)\"" }
            let shown = got.isEmpty ? "none" : got.joined(separator: " and ")
            let other = isSecret && shown == expected ? " of another value" : ""
            return ["\(subject): expected \(expected), got \(shown)\(other)"]
        }
    }
}
