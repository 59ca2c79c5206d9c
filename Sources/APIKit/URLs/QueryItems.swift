import Foundation

/// The items of a query or a form, in order.
///
/// Write them as a dictionary literal, which keeps its order. A `nil` value is omitted, and an array
/// repeats the name once for each element.
public struct QueryItems: Sendable, ExpressibleByDictionaryLiteral {
    /// The names and values, not encoded.
    public private(set) var items: [URLQueryItem] = []

    /// Creates items from names and values.
    public init(dictionaryLiteral elements: (String, (any QueryValue)?)...) {
        for (name, value) in elements { append(name, value) }
    }

    /// Appends an item for a value, an item for each element of an array, and none for `nil`.
    public mutating func append(_ name: String, _ value: (any QueryValue)?) {
        for text in value?.queryValues ?? [] { items.append(URLQueryItem(name: name, value: text)) }
    }

    /// The query text, with every delimiter in a name or a value percent-encoded.
    var query: String { encoded(PercentEncoding.value) }

    /// The form text: the query with spaces as `+`, as in HTML.
    package var form: String {
        encoded { PercentEncoding.value($0).replacingOccurrences(of: "%20", with: "+") }
    }

    private func encoded(_ encode: (String) -> String) -> String {
        var text = ""
        for item in items {
            if !text.isEmpty { text += "&" }
            text += encode(item.name)
            text += "="
            text += encode(item.value ?? "")
        }
        return text
    }
}
