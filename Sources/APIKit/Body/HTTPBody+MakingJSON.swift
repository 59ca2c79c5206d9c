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
        _ value: JSON,
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
        _ = try JSON(text: text)
        return .data(Data(text.utf8), contentType: "application/json")
    }
}
