import APIKit
import Foundation

/// One condition on a request, which can describe a mismatch.
struct Condition: Sendable {
    /// The condition in the description of a pattern.
    let label: String
    /// Returns whether a request meets the condition.
    let accepts: @Sendable (RecordedRequest) -> Bool
    /// Adds the differences of a request that does not meet the condition, one line each.
    let addDifferences: @Sendable (RecordedRequest, inout LimitedList) -> Void
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
        self.init(label: label, accepts: accepts) { request, list in
            for difference in differences(request) { list.add(difference) }
        }
    }

    init(
        label: String,
        accepts: @escaping @Sendable (RecordedRequest) -> Bool,
        addDifferences: @escaping @Sendable (RecordedRequest, inout LimitedList) -> Void
    ) {
        self.label = label
        self.accepts = accepts
        self.addDifferences = addDifferences
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
        values: @escaping @Sendable (RecordedRequest) -> [String],
        absence: @escaping @Sendable (RecordedRequest) -> String = { _ in "none" }
    ) {
        let expected = pattern.expectation(masked: isSecret)
        self.init(label: "\(subject): \(expected)") { request in
            pattern.accepts(values(request))
        } differences: { request in
            let got = values(request).map {
                "\"\(isSecret ? Redaction.masked($0) : $0.shortened(to: 200))\""
            }
            let shown = got.isEmpty ? absence(request) : got.joined(separator: " and ")
            let other = isSecret && shown == expected ? " (a different value)" : ""
            return ["\(subject): expected \(expected), got \(shown)\(other)"]
        }
    }
}
