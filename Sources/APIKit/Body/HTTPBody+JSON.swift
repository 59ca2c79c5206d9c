import Foundation

extension HTTPBody {
    /// A JSON value.
    ///
    /// It can be written as a literal, with values of any kind side by side:
    ///
    /// ```swift
    /// let body: HTTPBody.JSON = ["id": 7, "name": "Rex", "tags": ["small", nil], "good": true]
    /// ```
    ///
    /// Two values are equal if they mean the same: the order of an object's members does not matter,
    /// and `1.0` equals `1`.
    public enum JSON: Sendable, Hashable {
        /// The value `null`.
        case null
        /// A Boolean value.
        case bool(Bool)
        /// A number that `Decimal` can represent.
        case number(Decimal)
        /// A number outside of the range of `Decimal`, such as `1e200`.
        case double(Double)
        /// A string.
        case string(String)
        /// An array.
        case array([JSON])
        /// An object.
        case object([String: JSON])
    }
}

extension HTTPBody.JSON: Codable {
    /// Decodes a value of any kind.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A decoder offers no way to ask for the kind of a value. Each failed attempt but the last
        // excludes a kind.
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Decimal.self) {
            self = .number(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode([Self].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: Self].self))
        }
    }

    /// Encodes the value itself.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }

    /// Parses a JSON text.
    ///
    /// - Throws: A `DecodingError` if the text is not valid JSON.
    public init(text: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    }
}

extension HTTPBody.JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringInterpolation,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates `null`.
    public init(nilLiteral: ()) {
        self = .null
    }

    /// Creates a Boolean value.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    /// Creates a number.
    public init(integerLiteral value: Int) {
        self = .number(Decimal(value))
    }

    /// Creates a number.
    public init(floatLiteral value: Double) {
        // From its text, because `Decimal(1.1)` is not 1.1.
        let decimal = Decimal(string: "\(value)")
        self = decimal.map { .number($0) } ?? .double(value)
    }

    /// Creates a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// Creates an array.
    public init(arrayLiteral elements: Self...) {
        self = .array(elements)
    }

    /// Creates an object. Of members with the same name, the last one counts.
    public init(dictionaryLiteral members: (String, Self)...) {
        self = .object(Dictionary(members) { _, last in last })
    }
}

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

    /// A body of a JSON literal whose values are of different types.
    ///
    /// ```swift
    /// try URLRequest(.post, "dogs", body: .json(["name": "Rex", "age": 3]))
    /// ```
    ///
    /// - Throws: The error of the encoder.
    public static func json(
        _ value: JSON,
        encoder: JSONEncoder = JSONEncoder()
    ) throws -> HTTPBody {
        .data(try encoder.encode(value), contentType: "application/json")
    }

    /// A body of a JSON object whose values are variables of different types.
    ///
    /// ```swift
    /// try URLRequest(.post, "dogs", body: .json(["name": dog.name, "age": dog.age]))
    /// ```
    ///
    /// A value that is `nil` becomes `null`. Of members with the same name, the last one counts.
    ///
    /// - Throws: The error of the encoder.
    @_disfavoredOverload
    public static func json(
        _ members: KeyValuePairs<String, (any Encodable & Sendable)?>,
        encoder: JSONEncoder = JSONEncoder()
    ) throws -> HTTPBody {
        .data(try encoder.encode(JSONMembers(members)), contentType: "application/json")
    }

    /// A body of a JSON text, sent unchanged.
    ///
    /// - Throws: A `DecodingError` if the text is not valid JSON.
    public static func json(text: String) throws -> HTTPBody {
        _ = try JSON(text: text)
        return .data(Data(text.utf8), contentType: "application/json")
    }
}

/// The members of a JSON object whose values are of different types.
package struct JSONMembers: Encodable, Sendable {
    private struct Value: Encodable, Sendable {
        let value: (any Encodable & Sendable)?

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if let value { try container.encode(value) } else { try container.encodeNil() }
        }
    }

    private let members: [String: Value]

    package init(_ members: KeyValuePairs<String, (any Encodable & Sendable)?>) {
        self.members = Dictionary(members.map { ($0, Value(value: $1)) }) { _, last in last }
    }

    package func encode(to encoder: any Encoder) throws {
        // Through a container: only so does `JSONEncoder` leave the keys of a dictionary unchanged.
        var container = encoder.singleValueContainer()
        try container.encode(members)
    }
}
