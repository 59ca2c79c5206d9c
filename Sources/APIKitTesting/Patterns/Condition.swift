import APIKit
import Foundation

/// One condition on a request, which can describe a mismatch.
struct Condition: Sendable {
    /// The condition in the description of a pattern.
    let label: String
    /// Returns the values of the placeholders in a request, or `nil` if it does not meet the condition.
    let match: @Sendable (RecordedRequest) -> [String: String]?
    /// Adds the differences of a request that does not meet the condition, one line each.
    let addDifferences: @Sendable (RecordedRequest, inout LimitedList) -> Void
    /// The mistake in an invalid condition, which no request meets.
    private(set) var problem: String?
    /// The names of the query items that the condition is about.
    var itemNames: Set<String> = []
    /// The query of a request type, if this condition compares it.
    var statedQuery: [URLQueryItem]?
}

extension Condition {
    init(problem: String) {
        self.init(label: "an invalid condition") { _ in
            false
        } addDifferences: { _, list in
            list.add(problem)
        }
        self.problem = problem
    }

    init(
        label: String,
        accepts: @escaping @Sendable (RecordedRequest) -> Bool,
        addDifferences: @escaping @Sendable (RecordedRequest, inout LimitedList) -> Void
    ) {
        self.init(label: label, match: { accepts($0) ? [:] : nil }, addDifferences: addDifferences)
    }

    /// Creates a condition on a text of a recording, which is `nil` if the text must be absent.
    init(
        _ subject: String, recorded text: String?, _ placeholders: PlaceholderSet, isSecret: Bool,
        value: @escaping @Sendable (RecordedRequest) -> String?
    ) {
        let expected = text.map { RecordedText($0, placeholders) }
        @Sendable func shown(_ text: String?) -> String {
            text.map { isSecret ? Redaction.masked($0) : Redaction.secrets.text(ofValue: $0) }?
                .shortened(to: 200) ?? "nothing"
        }
        self.init(label: "") { request in
            var values: [String: String] = [:]
            guard let expected, let got = value(request) else {
                return (expected == nil) == (value(request) == nil) ? [:] : nil
            }
            return expected.addValues(in: got, to: &values) ? values : nil
        } addDifferences: { request, list in
            list.addDifference(subject, expected: shown(text), got: shown(value(request)))
        }
    }

    /// Creates a condition on a single value.
    init(
        _ subject: String,
        _ pattern: ValuePattern,
        isSecret: Bool = false,
        value: @escaping @Sendable (RecordedRequest) -> String?
    ) {
        self.init(
            subject, pattern, isSecret: isSecret, values: { value($0).map { [$0] } ?? [] })
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
        } addDifferences: { request, list in
            let got = values(request).map { $0.quoted(masked: isSecret) }
            list.addDifference(
                subject, expected: expected,
                got: got.isEmpty ? absence(request) : got.joined(separator: " and "))
        }
    }
}
