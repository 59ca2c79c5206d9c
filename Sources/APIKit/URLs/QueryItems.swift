import Foundation

/// The items of a query or a form, in order.
///
/// Written as a dictionary literal whose order is kept. A value that is `nil` is left out, and an
/// array repeats the name once for each element.
public struct QueryItems: Sendable, ExpressibleByDictionaryLiteral {
    /// The names and values, before any encoding.
    public private(set) var items: [URLQueryItem] = []

    /// Creates items from names and values.
    public init(dictionaryLiteral elements: (String, (any QueryValue)?)...) {
        for (name, value) in elements { append(name, value) }
    }

    /// Appends a value under a name: not at all for `nil`, and once for each element of an array.
    public mutating func append(_ name: String, _ value: (any QueryValue)?) {
        items += (value?.queryValues ?? []).map { URLQueryItem(name: name, value: $0) }
    }

    /// The query text, in which no character of a name or a value can be taken for a delimiter.
    var query: String { encoded(PercentEncoding.value) }

    /// The text of the form: the query with a space written as `+`, as HTML forms do.
    var form: String {
        encoded { PercentEncoding.value($0).replacingOccurrences(of: "%20", with: "+") }
    }

    private func encoded(_ encode: (String) -> String) -> String {
        items.map { "\(encode($0.name))=\(encode($0.value ?? ""))" }.joined(separator: "&")
    }
}
