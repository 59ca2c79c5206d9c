import APIKit
import Foundation

extension Condition {
    /// Creates a condition on all items of the query, in any order.
    init(queryExactly expected: [URLQueryItem]) {
        self.init(
            "query", label: "query exactly \(Condition.text(expected))", exactly: expected,
            items: \.queryItems)
    }

    /// Creates a condition on all items of a query or a form, in any order.
    init(
        _ subject: String, label: String, exactly expected: [URLQueryItem],
        items: @escaping @Sendable (RecordedRequest) -> [URLQueryItem]
    ) {
        let expected = Condition.sorted(expected)
        self.init(label: label) { request in
            Condition.sorted(items(request)) == expected
        } differences: { request in
            var missing = expected
            var unexpected: [URLQueryItem] = []
            for item in Condition.sorted(items(request)) {
                if let index = missing.firstIndex(of: item) {
                    missing.remove(at: index)
                } else {
                    unexpected.append(item)
                }
            }
            return missing.map { "\(subject): expected \(Condition.text($0)), which is missing" }
                + unexpected.map { "\(subject): expected no \(Condition.text($0))" }
        }
    }

    private static func sorted(_ items: [URLQueryItem]) -> [URLQueryItem] {
        items.map { URLQueryItem(name: $0.name, value: $0.value ?? "") }
            .sorted { ($0.name, $0.value ?? "") < ($1.name, $1.value ?? "") }
    }

    static func text(_ items: [URLQueryItem]) -> String {
        items.isEmpty ? "none" : sorted(items).map(text).joined(separator: ", ")
    }

    private static func text(_ item: URLQueryItem) -> String {
        let value = item.value ?? ""
        let isSecret = Redaction.hidesItem(named: item.name)
        return "\(item.name)=\"\(isSecret ? Redaction.masked(value) : value)\""
    }
}
