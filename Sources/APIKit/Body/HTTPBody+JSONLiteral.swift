import Foundation

extension HTTPBody {
    /// A literal of a JSON object, or of an array of objects, with variables of different types.
    ///
    /// A value can be of any type that is `Encodable` and `Sendable`. `nil` becomes `null`. If a
    /// name repeats, its last value counts.
    ///
    /// Swift cannot infer the type of a nested literal that is empty or whose values have different
    /// types. Write `.json` around the literal, but not around a variable:
    ///
    /// ```swift
    /// let body: HTTPBody.JSONLiteral = [
    ///     "dog": .json(["id": dog.id, "name": dog.name]),
    ///     "count": 2,
    /// ]
    /// ```
    public struct JSONLiteral: Encodable, Sendable {
        private let value: any Encodable & Sendable

        /// Encodes the object or the array.
        public func encode(to encoder: any Encoder) throws {
            // Only through a container does `JSONEncoder` leave the keys of a dictionary unchanged.
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }
}

extension HTTPBody.JSONLiteral: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    /// Creates an object.
    public init(dictionaryLiteral members: (String, (any Encodable & Sendable)?)...) {
        let members = members.map { ($0, Self(value: $1 ?? HTTPBody.JSON.null)) }
        value = Dictionary(members) { _, last in last }
    }

    /// Creates an array of objects.
    public init(arrayLiteral elements: Self...) {
        value = elements
    }
}

extension Encodable where Self == HTTPBody.JSONLiteral {
    /// A JSON object with variables of different types, or an array of such objects.
    public static func json(_ literal: HTTPBody.JSONLiteral) -> HTTPBody.JSONLiteral { literal }
}

extension Encodable where Self == HTTPBody.JSON {
    /// A JSON literal with constants of different types, such as an array of a string and a number.
    @_disfavoredOverload
    public static func json(_ literal: HTTPBody.JSON) -> HTTPBody.JSON { literal }
}
