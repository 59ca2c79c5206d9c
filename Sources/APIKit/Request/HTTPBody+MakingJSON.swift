import Foundation

extension HTTPBody {
    /// A body of a value encoded as JSON.
    ///
    /// - Throws: The error of the encoder.
    public static func json(
        _ value: some Encodable,
        encoder: JSONEncoder = JSONEncoder()
    ) throws -> HTTPBody {
        .data(try encoder.encode(value), contentType: "application/json")
    }

    /// A body of a JSON literal with values of different types, at any depth.
    ///
    /// ```swift
    /// try URLRequest(.post, "dogs", body: .json(["name": "Rex", "age": 3]))
    /// ```
    ///
    /// - Throws: The error of the encoder.
    public static func json(
        _ value: JSONValue,
        encoder: JSONEncoder = JSONEncoder()
    ) throws -> HTTPBody {
        .data(try encoder.encode(value), contentType: "application/json")
    }

    /// A body of a JSON object with variables of different types, or of an array of such objects.
    ///
    /// ```swift
    /// try URLRequest(.post, "dogs", body: .json(["name": dog.name, "age": dog.age]))
    /// ```
    ///
    /// - Throws: The error of the encoder.
    @_disfavoredOverload
    public static func json(
        _ literal: JSONLiteral,
        encoder: JSONEncoder = JSONEncoder()
    ) throws -> HTTPBody {
        .data(try encoder.encode(literal), contentType: "application/json")
    }

    /// Explains why a literal with other values does not compile.
    @available(
        *, unavailable,
        message: """
            Each value must be Encodable and Sendable. Write .json([…]) around a nested literal that \
            is empty or whose values are of different types. Declare a variable with such values as \
            HTTPBody.JSONLiteral
            """
    )
    @_disfavoredOverload
    public static func json(
        _ literal: [String: Any?],
        encoder: JSONEncoder = JSONEncoder()
    ) throws -> HTTPBody {
        .data(Data(), contentType: "application/json")
    }

    /// A body of a JSON text, sent unchanged.
    ///
    /// - Throws: An ``APIError`` of kind ``APIError/Kind/invalidRequest(_:)`` if the text is not
    ///   valid JSON, or has more than 64 levels of arrays and objects.
    public static func json(text: String) throws -> HTTPBody {
        let data = Data(text.utf8)
        if let mistake = JSONValue.mistake(in: data) { throw APIError(.invalidRequest(mistake)) }
        return .data(data, contentType: "application/json")
    }
}

extension HTTPBody {
    /// A literal of a JSON object, or of an array of objects, with variables of different types.
    ///
    /// A value can be of any type that is `Encodable` and `Sendable`. `nil` becomes `null`. If a
    /// name repeats, its last value counts.
    ///
    /// If a literal contains a variable, write `.json` around each inner literal that is empty or
    /// mixes types, but not around a variable:
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
            // `JSONEncoder` leaves the keys of a dictionary unchanged only through a container.
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }
}

extension HTTPBody.JSONLiteral: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    /// Creates an object.
    public init(dictionaryLiteral members: (String, (any Encodable & Sendable)?)...) {
        let members = members.map { ($0, Self(value: $1 ?? JSONValue.null)) }
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

extension Encodable where Self == JSONValue {
    /// A JSON literal with constants of different types, such as an array of a string and a number.
    @_disfavoredOverload
    public static func json(_ literal: JSONValue) -> JSONValue { literal }
}

extension JSONEncoder {
    /// Encodes a value, or throws an error that names its type.
    package func json(of value: some Encodable) throws -> Data {
        do {
            return try encode(value)
        } catch {
            let reason = "cannot be encoded as JSON: \(APIError.clause(for: error))"
            throw APIError(.invalidRequest("a \(type(of: value)) \(reason)"))
        }
    }
}

extension JSONValue {
    /// Returns the mistake in a JSON text, or `nil` if it is valid (RFC 8259).
    package static func mistake(in text: Data) -> String? {
        guard !JSONScanner.scan(text) else { return nil }
        do {
            _ = try JSONDecoder().decode(Self.self, from: text)
            // Foundation accepts such a comma.
            return "the text is not valid JSON: a comma precedes a closing bracket"
        } catch {
            return "the text is not valid JSON: \(APIError.clause(for: error))"
        }
    }
}
