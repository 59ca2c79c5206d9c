import APIKit
import Foundation

extension Condition {
    /// Creates a condition on all items of the query, in any order.
    init(queryExactly expected: [URLQueryItem]) {
        let expected = Condition.sorted(expected)
        self.init(label: "query exactly \(Condition.text(expected))") { request in
            Condition.sorted(request.queryItems) == expected
        } differences: { request in
            var missing = expected
            var unexpected: [URLQueryItem] = []
            for item in Condition.sorted(request.queryItems) {
                if let index = missing.firstIndex(of: item) {
                    missing.remove(at: index)
                } else {
                    unexpected.append(item)
                }
            }
            return missing.map { "query: expected \(Condition.text($0)), which is missing" }
                + unexpected.map { "query: expected no \(Condition.text($0))" }
        }
    }

    private static func sorted(_ items: [URLQueryItem]) -> [URLQueryItem] {
        items.map { URLQueryItem(name: $0.name, value: $0.value ?? "") }
            .sorted { ($0.name, $0.value ?? "") < ($1.name, $1.value ?? "") }
    }

    private static func text(_ items: [URLQueryItem]) -> String {
        items.isEmpty
            ? "none"
            : items.map(text).joined(separator: ", ")
    }

    private static func text(_ item: URLQueryItem) -> String {
        let value = item.value ?? ""
        let isSecret = Redaction.hidesItem(named: item.name)
        return "\(item.name)=\"\(isSecret ? Redaction.masked(value) : value)\""
    }
}
