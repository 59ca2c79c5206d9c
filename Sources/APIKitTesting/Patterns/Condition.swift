import APIKit
import Foundation

/// A request while patterns compare it, with the forms that they have asked for.
final class ComparedRequest {
    let request: RecordedRequest
    /// The patterns of the test in words, whose texts a failure shows.
    let written: String
    private(set) lazy var query = RequestForm("query", request.queryItems)
    private(set) lazy var body = RequestForm(bodyOf: request)
    /// The body as JSON, whatever its content type is, or `nil` for any other body.
    private(set) lazy var json = RequestForm(json: request.body)

    init(_ request: RecordedRequest, written: String = "") {
        (self.request, self.written) = (request, written)
    }
}

/// One condition on a request, which can describe a mismatch.
struct Condition: Sendable {
    /// Returns the condition in the description of a pattern.
    let label: @Sendable () -> String
    let accepts: @Sendable (ComparedRequest) -> Bool
    /// Adds the differences of a request that does not meet the condition, one line each.
    let addDifferences: @Sendable (ComparedRequest, inout LimitedList) -> Void
    /// The mistake in an invalid condition, which no request meets.
    private(set) var problem: String?
    /// The names of the query items that the condition compares.
    var itemNames: Set<String> = []
    /// The query of a request type, if this condition compares it.
    private(set) var statedQuery: [URLQueryItem]?

    init(
        label: @autoclosure @escaping @Sendable () -> String,
        accepts: @escaping @Sendable (ComparedRequest) -> Bool,
        addDifferences: @escaping @Sendable (ComparedRequest, inout LimitedList) -> Void
    ) {
        (self.label, self.accepts, self.addDifferences) = (label, accepts, addDifferences)
    }
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

    /// Creates a condition on the values with a name.
    ///
    /// - Parameters:
    ///   - name: The name in the form of a request.
    ///   - pattern: The pattern that they must match.
    ///   - values: Returns the values, or `nil` if the body is not JSON.
    ///   - remark: Returns the reason why there are none.
    init(
        _ name: String, _ pattern: ValuePattern,
        values: @escaping @Sendable (ComparedRequest) -> [RequestForm.Value]?,
        remark: @escaping @Sendable (ComparedRequest) -> String = { _ in "" }
    ) {
        self.init(label: "\(name): \(pattern.expectation)") { request in
            values(request).map(pattern.accepts) ?? false
        } addDifferences: { request, list in
            guard let got = values(request) else { return list.addMissingJSON(of: request) }
            list.addDifference(
                name, expected: pattern.expectation,
                got: RequestForm.text(of: got, named: name, besides: request.written),
                remark: got.isEmpty ? remark(request) : "")
        }
    }

    /// Creates a condition on a single text.
    init(
        _ name: String, _ pattern: ValuePattern,
        text: @escaping @Sendable (RecordedRequest) -> String?
    ) {
        self.init(
            name, pattern, values: { text($0.request).map { [.text(ExactText($0))] } ?? [] })
    }

    /// Creates a condition on a form, which is `nil` if the body is not JSON.
    init(
        label: @autoclosure @escaping @Sendable () -> String, equals expected: RequestForm,
        of form: @escaping @Sendable (ComparedRequest) -> RequestForm?
    ) {
        self.init(label: label()) {
            form($0) == expected
        } addDifferences: { request, list in
            guard let got = form(request) else { return list.addMissingJSON(of: request) }
            list.addDifferences(expected: expected, got: got, besides: request.written)
        }
    }

    /// Creates a condition on all items of the query, in any order.
    init(queryExactly items: [URLQueryItem]) {
        let query = RequestForm("query", items)
        self.init(label: items.isEmpty ? "no query" : "exactly \(query.text)", equals: query) {
            $0.query
        }
        itemNames = Set(items.map(\.name))
    }

    /// Creates a condition on the query that a request type states.
    ///
    /// - Parameters:
    ///   - items: The items.
    ///   - names: The names of further items that the request may have.
    init(statedQuery items: [URLQueryItem], allowing names: Set<String> = []) {
        let expected = RequestForm("query", items)
        let further = names.map { ExactText("query.\($0)") }.filter { expected.values[$0] == nil }
        // No label, because the text of the path already contains the query.
        self.init(label: "", equals: expected) { request in
            var form = request.query
            for name in further { form.values[name] = nil }
            return form
        }
        statedQuery = items
    }
}

extension LimitedList {
    fileprivate mutating func addMissingJSON(of request: ComparedRequest) {
        addDifference("body", expected: "JSON", got: request.request.shownBody ?? "nothing")
    }
}
