import APIKit
import Foundation

extension MockResponse {
    /// A response whose body is a value encoded as JSON.
    ///
    /// A value that cannot be encoded fails the test.
    public static func json(
        _ value: some Encodable,
        status: Int = 200,
        encoder: JSONEncoder = JSONEncoder()
    ) -> MockResponse {
        json(status) { try encoder.json(of: value) }
    }

    /// A response whose body is a JSON literal with values of different types, at any depth.
    public static func json(
        _ value: JSONValue,
        status: Int = 200,
        encoder: JSONEncoder = JSONEncoder()
    ) -> MockResponse {
        json(status) { try encoder.json(of: value) }
    }

    /// A response whose body is a JSON literal with variables of different types.
    ///
    /// A value that cannot be encoded fails the test.
    @_disfavoredOverload
    public static func json(
        _ literal: HTTPBody.JSONLiteral,
        status: Int = 200,
        encoder: JSONEncoder = JSONEncoder()
    ) -> MockResponse {
        json(status) { try encoder.json(of: literal) }
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
        status: Int = 200,
        encoder: JSONEncoder = JSONEncoder()
    ) -> MockResponse {
        .status(status)
    }

    /// A response whose body is a JSON text, sent unchanged.
    ///
    /// A text that is not valid JSON fails the test. For such a body, use
    /// ``text(_:status:contentType:)``.
    public static func json(text: String, status: Int = 200) -> MockResponse {
        json(status) { try HTTPBody.json(text: text).data() }
    }

    private static func json(_ status: Int, _ body: () throws -> Data) -> MockResponse {
        do {
            return .data(try body(), status: status, contentType: "application/json")
        } catch {
            return MockResponse(.invalid(APIError.clause(for: error)))
        }
    }
}
