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
        encoded(value, status: status, encoder: encoder)
    }

    /// A response whose body is a JSON literal with values of different types, at any depth.
    public static func json(
        _ value: JSONValue,
        status: Int = 200,
        encoder: JSONEncoder = JSONEncoder()
    ) -> MockResponse {
        encoded(value, status: status, encoder: encoder)
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
        encoded(literal, status: status, encoder: encoder)
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
        do {
            let body = try HTTPBody.json(text: text).data()
            return .data(body, status: status, contentType: "application/json")
        } catch {
            return MockResponse(.invalid(APIError.clause(for: error)))
        }
    }

    private static func encoded(
        _ value: some Encodable, status: Int, encoder: JSONEncoder
    ) -> MockResponse {
        do {
            let body = try encoder.encode(value)
            return .data(body, status: status, contentType: "application/json")
        } catch {
            let reason = APIError.clause(for: error)
            return MockResponse(
                .invalid("a \(type(of: value)) cannot be encoded as JSON: \(reason)"))
        }
    }
}
