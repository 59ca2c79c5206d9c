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
        encoding(value, status: status, encoder: encoder)
    }

    /// A response whose body is a JSON literal with values of different types.
    public static func json(
        _ value: HTTPBody.JSON,
        status: Int = 200,
        encoder: JSONEncoder = JSONEncoder()
    ) -> MockResponse {
        encoding(value, status: status, encoder: encoder)
    }

    /// A response whose body is a JSON object whose values are variables of different types.
    ///
    /// A value that is `nil` becomes `null`. Of members with the same name, the last one counts. A
    /// value that cannot be encoded fails the test.
    @_disfavoredOverload
    public static func json(
        _ members: KeyValuePairs<String, (any Encodable & Sendable)?>,
        status: Int = 200,
        encoder: JSONEncoder = JSONEncoder()
    ) -> MockResponse {
        encoding(JSONMembers(members), status: status, encoder: encoder)
    }

    /// A response whose body is a JSON text, sent unchanged.
    ///
    /// A text that is not valid JSON fails the test.
    public static func json(text: String, status: Int = 200) -> MockResponse {
        MockResponse(status: status) {
            try HTTPBody.json(text: text).data()
        } problem: { error in
            "the text is not valid JSON: \(error)"
        }
    }

    private static func encoding(
        _ value: some Encodable, status: Int, encoder: JSONEncoder
    ) -> MockResponse {
        MockResponse(status: status) {
            try encoder.encode(value)
        } problem: { error in
            "a \(type(of: value)) cannot be encoded as JSON: \(error)"
        }
    }

    private init(status: Int, body: () throws -> Data, problem: (any Error) -> String) {
        do {
            self.init(status: status, contentType: "application/json", .body(try body()))
        } catch {
            self.init(problem: problem(error))
        }
    }
}
