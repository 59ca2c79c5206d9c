import Foundation

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
