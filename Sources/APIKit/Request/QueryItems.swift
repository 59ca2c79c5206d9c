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

    /// Creates items from pairs of a name and a value, in their order.
    public init<Value: QueryValue>(_ pairs: some Sequence<(String, Value)>) {
        for (name, value) in pairs { append(name, value) }
    }

    /// Creates items from a dictionary, in the order of their names.
    public init<Value: QueryValue>(_ values: [String: Value]) {
        self.init(values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// Appends the items of another query.
    public mutating func append(contentsOf other: QueryItems) { items += other.items }

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

/// A value in a query or a form.
///
/// An enumeration with raw values that are strings or numbers needs no code to conform.
public protocol QueryValue: Sendable {
    /// The texts of the value, each of which becomes one item.
    var queryValues: [String] { get }
}

extension QueryValue where Self: LosslessStringConvertible {
    /// The text of the value.
    public var queryValues: [String] { [description] }
}

extension QueryValue where Self: RawRepresentable, RawValue: QueryValue {
    /// The text of the raw value.
    public var queryValues: [String] { rawValue.queryValues }
}

extension String: QueryValue {}
extension Substring: QueryValue {}
extension Bool: QueryValue {}
extension Int: QueryValue {}
extension Int8: QueryValue {}
extension Int16: QueryValue {}
extension Int32: QueryValue {}
extension Int64: QueryValue {}
extension UInt: QueryValue {}
extension UInt8: QueryValue {}
extension UInt16: QueryValue {}
extension UInt32: QueryValue {}
extension UInt64: QueryValue {}
extension Float: QueryValue {}
extension Double: QueryValue {}

extension Decimal: QueryValue {
    /// The number with a decimal point in every locale.
    public var queryValues: [String] { [description] }
}

extension UUID: QueryValue {
    /// The text of the identifier.
    public var queryValues: [String] { [uuidString] }
}

extension URL: QueryValue {
    /// The absolute text of the URL.
    public var queryValues: [String] { [absoluteString] }
}

extension Array: QueryValue where Element: QueryValue {
    /// The texts of the elements, in order.
    public var queryValues: [String] { flatMap(\.queryValues) }
}

extension Optional: QueryValue where Wrapped: QueryValue {
    /// The texts of the value, or none for `nil`.
    public var queryValues: [String] { self?.queryValues ?? [] }
}
