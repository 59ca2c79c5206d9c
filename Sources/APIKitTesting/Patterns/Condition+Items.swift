import APIKit
import Foundation

extension Condition {
    /// Creates a condition on all items of the query, in any order.
    init(queryExactly expected: [URLQueryItem]) {
        self.init(
            "query", label: "query exactly \(Condition.text(expected))", exactly: expected,
            items: \.queryItems)
        itemNames = Set(expected.map(\.name))
    }

    /// Creates a condition on the query that a request type states.
    ///
    /// - Parameters:
    ///   - query: The items.
    ///   - names: The names of further items that the request may have.
    init(statedQuery query: [URLQueryItem], allowing names: Set<String> = []) {
        // No label, because the text of the path already contains the query.
        self.init("query", label: "", exactly: query, allowing: names, items: \.queryItems)
        statedQuery = query
        itemNames = names
    }

    /// Returns the condition, which also allows items with these names if a request type states it.
    func allowing(_ names: Set<String>) -> Condition {
        guard let statedQuery else { return self }
        return Condition(statedQuery: statedQuery, allowing: itemNames.union(names))
    }

    /// Creates a condition on all items of a query or a form, in any order.
    init(
        _ subject: String, label: String, exactly expected: [URLQueryItem],
        allowing names: Set<String> = [],
        _ placeholders: PlaceholderSet = .none,
        items: @escaping @Sendable (RecordedRequest) -> [URLQueryItem]
    ) {
        let comparison = ItemComparison(
            expected: expected.sortedByText.map { ($0, RecordedText($0.pair, placeholders)) },
            allowed: names)
        self.init(label: label) { request in
            let rest = comparison.rest(of: items(request))
            return rest.missing.isEmpty && rest.unexpected.isEmpty ? rest.values : nil
        } addDifferences: { request, list in
            var (missing, unexpected, _) = comparison.rest(of: items(request))
            missing.removeAll { item in
                guard let index = unexpected.firstIndex(where: { $0.name == item.name }) else {
                    return false
                }
                let got = unexpected.remove(at: index)
                list.addDifference(
                    "\(subject) \(item.name)", expected: item.shownValue, got: got.shownValue,
                    ignoring: Volatility.ignoring(
                        item.value ?? "", got.value ?? "",
                        ".\(subject == "query" ? subject : "body")",
                        item.name))
                return true
            }
            for item in missing {
                list.add("\(subject): expected \(Condition.text(item)), which is missing")
            }
            for item in unexpected { list.add("\(subject): expected no \(Condition.text(item))") }
        }
    }

    static func text(_ items: [URLQueryItem]) -> String {
        items.isEmpty ? "none" : items.sortedByText.map(text).joined(separator: ", ")
    }

    private static func text(_ item: URLQueryItem) -> String { "\(item.name)=\(item.shownValue)" }
}

/// A comparison of items in any order.
private struct ItemComparison: Sendable {
    /// The expected items, in the order of their texts.
    let expected: [(item: URLQueryItem, text: RecordedText)]
    /// The names of further items that a request may have.
    let allowed: Set<String>

    /// Returns the items without a counterpart, and the values of the placeholders.
    func rest(
        of items: [URLQueryItem]
    ) -> (missing: [URLQueryItem], unexpected: [URLQueryItem], values: [String: String]) {
        // Count the items, because a search for each item of a large form is slow.
        var counts = items.reduce(into: [:]) { $0[$1.pair, default: 0] += 1 }
        func take(_ item: URLQueryItem) -> Bool {
            guard let count = counts[item.pair], count > 0 else { return false }
            counts[item.pair] = count - 1
            return true
        }
        var missing = expected.filter { !$0.text.isOpen && !take($0.item) }.map(\.item)
        var unexpected = items.sortedByText.filter(take)
        var values: [String: String] = [:]
        for (item, text) in expected where text.isOpen {
            if let index = unexpected.firstIndex(where: { item in
                var added = values
                guard text.addValues(in: item.pair, to: &added) else { return false }
                values = added
                return true
            }) {
                unexpected.remove(at: index)
            } else {
                missing.append(item)
            }
        }
        return (missing, unexpected.filter { !allowed.contains($0.name) }, values)
    }
}

extension [URLQueryItem] {
    fileprivate var sortedByText: Self { sorted { $0.pair < $1.pair } }
}

extension URLQueryItem {
    /// The name and the value as one text.
    var pair: String { "\(name)\u{0}\(value ?? "")" }

    fileprivate var shownValue: String {
        let value = value ?? ""
        let isSecret = Redaction.hidesValue(named: name)
        let shown = isSecret ? Redaction.masked(value) : Redaction.secrets.text(ofValue: value)
        return "\"\(shown.shortened(to: 200))\""
    }
}

extension Condition {
    private typealias Value = @Sendable (RecordedRequest.Part) -> String?

    /// Creates a condition on a part of a multipart body.
    init(
        part name: String, fileName: ValuePattern?, contentType: ValuePattern?, body: ValuePattern?
    ) {
        let candidates: [(subject: String, pattern: ValuePattern?, value: Value)] = [
            ("file name", fileName, { $0.fileName }),
            ("content type", contentType, { $0.contentType }),
            ("text", body, { $0.text }),
        ]
        let isSecret = Redaction.hidesValue(named: name)
        let checks = candidates.compactMap { subject, pattern, value in
            pattern.map { (subject: subject, pattern: $0, value: value) }
        }
        let details = checks.map { ", \($0.subject) \($0.pattern.expectation(masked: isSecret))" }
        self.init(label: "part \(name)\(details.joined())") { request in
            request.parts.contains { part in
                part.name == name && checks.allSatisfy { $0.pattern.accepts($0.value(part)) }
            }
        } addDifferences: { request, list in
            let (subject, parts) = ("part \(name)", request.parts)
            guard let part = parts.first(where: { $0.name == name }) else {
                let names = parts.map(\.name).joined(separator: ", ")
                return list.addDifference(
                    subject, expected: "one", got: names.isEmpty ? "none" : names)
            }
            for check in checks where !check.pattern.accepts(check.value(part)) {
                let expected = check.pattern.expectation(masked: isSecret)
                let value = check.value(part)?.quoted(masked: isSecret)
                list.addDifference(
                    subject, expected: "\(check.subject) \(expected)", got: value ?? "none",
                    remark: value == expected ? LimitedList.differentValue : nil)
            }
        }
    }
}
