import Foundation

/// A JSON value.
///
/// Its literals can contain values of different types, at any depth:
///
/// ```swift
/// let body: JSONValue = ["id": 7, "name": "Rex", "tags": ["small", nil], "good": true]
/// ```
///
/// Equality compares the meaning: the order of an object's members does not matter, and `1.0`
/// equals `1`. As for all strings of Swift, `é` equals `e` with an accent after it, and an object
/// merges two such names. The patterns of APIKitTesting compare the bytes instead.
///
/// A request type can use it as its input or its output.
///
/// A decoder throws an error for more than 64 levels of arrays and objects.
public enum JSONValue: Sendable, Hashable {
    /// The value `null`.
    case null
    /// A Boolean value.
    case bool(Bool)
    /// A number in the range of `Decimal`, with up to 38 significant digits.
    case number(Decimal)
    /// A number outside of the range of `Decimal`, such as `1e200`.
    case extremeNumber(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object.
    case object([String: JSONValue])
}

extension JSONValue: Codable {
    /// Decodes a value of any kind.
    ///
    /// - Throws: A `DecodingError` for more than 64 levels of arrays and objects, counted from the
    ///   top of the decoded document, or for a value that another format has and JSON lacks.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        lazy var isTooDeep = decoder.codingPath.count >= Self.maxDepth
        // A decoder does not reveal the type of a value, so try one type after another. A wrong
        // type costs an error with the path of the value, so the most frequent types come first.
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Decimal.self), value.isFinite {
            self = .number(value)
        } else if !isTooDeep, (try? decoder.container(keyedBy: NoKey.self)) != nil {
            self = .object(try container.decode([String: Self].self))
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if !isTooDeep, (try? decoder.unkeyedContainer()) != nil {
            self = .array(try container.decode([Self].self))
        } else if let value = try? container.decode(Double.self) {
            self.init(floatLiteral: value)
        } else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: isTooDeep
                    ? "The value has more than \(Self.maxDepth) levels."
                    : "The value is not a JSON value.")
        }
    }

    /// The largest number of levels.
    ///
    /// Decoding is recursive. In a debug build, a level takes up to 5 KB of the stack, and a thread
    /// of Apple's platforms has 512 KB.
    static let maxDepth = 64

    private enum NoKey: CodingKey {}

    /// Encodes the value.
    ///
    /// - Throws: An `EncodingError` for a number that is not finite, unless the encoder has a strategy
    ///   for it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value):
            // `JSONEncoder` writes the decimal as `NaN`, which is not JSON, and refuses the double.
            guard value.isFinite else { return try container.encode(Double.nan) }
            try container.encode(value)
        case .extremeNumber(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
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
    public init(integerLiteral value: Int64) {
        self = .number(Decimal(value))
    }

    /// Creates a number.
    public init(floatLiteral value: Double) {
        // From its text, because `Decimal(1.1)` is not 1.1.
        if let decimal = Decimal(string: "\(value)"), decimal.isFinite {
            self = .number(decimal)
        } else {
            self = .extremeNumber(value)
        }
    }

    /// Creates a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// Creates an array.
    public init(arrayLiteral elements: Self...) {
        self = .array(elements)
    }

    /// Creates an object.
    ///
    /// If a name repeats, its last value counts.
    public init(dictionaryLiteral members: (String, Self)...) {
        self = .object(Dictionary(members) { _, last in last })
    }
}
