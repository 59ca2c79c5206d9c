import APIKit
import Foundation

extension RequestPattern {
    /// Narrows the pattern to requests whose body equals a value encoded as JSON.
    ///
    /// The order of keys and white space do not matter. `1.0` equals `1`, but `true` does not. The
    /// bytes of names and strings decide: `é` differs from `e` with an accent after it.
    public func json(
        _ value: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()
    ) -> RequestPattern {
        adding(try Condition(json: Condition.json(value, encoder)))
    }

    /// Narrows the pattern to requests whose body equals a JSON literal.
    public func json(_ value: JSONValue) -> RequestPattern {
        adding(try Condition(json: Condition.json(value)))
    }

    /// Narrows the pattern to requests whose body equals a JSON literal with variables.
    @_disfavoredOverload
    public func json(
        _ literal: HTTPBody.JSONLiteral, encoder: JSONEncoder = JSONEncoder()
    ) -> RequestPattern {
        adding(try Condition(json: Condition.json(literal, encoder)))
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
    public func json(
        _ literal: [String: Any?], encoder: JSONEncoder = JSONEncoder()
    ) -> RequestPattern { self }

    /// Narrows the pattern to requests whose body has the same meaning as a JSON text.
    ///
    /// A route with a text that is not valid JSON fails the test.
    public func json(text: String) -> RequestPattern {
        adding(try Condition(json: Data(text.utf8)))
    }

    /// Narrows the pattern to requests whose body contains a value encoded as JSON.
    ///
    /// Objects may have further members at any depth. Arrays must have the same number of elements,
    /// and each element must contain the expected one.
    public func jsonContaining(
        _ value: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()
    ) -> RequestPattern {
        adding(try Condition(json: Condition.json(value, encoder), isPartial: true))
    }

    /// Narrows the pattern to requests whose body contains a JSON literal.
    public func jsonContaining(_ value: JSONValue) -> RequestPattern {
        adding(try Condition(json: Condition.json(value), isPartial: true))
    }

    /// Narrows the pattern to requests whose body contains a JSON literal with variables.
    @_disfavoredOverload
    public func jsonContaining(
        _ literal: HTTPBody.JSONLiteral, encoder: JSONEncoder = JSONEncoder()
    ) -> RequestPattern {
        adding(try Condition(json: Condition.json(literal, encoder), isPartial: true))
    }

    /// Narrows the pattern to requests whose body contains the value of a JSON text.
    public func jsonContaining(text: String) -> RequestPattern {
        adding(try Condition(json: Data(text.utf8), isPartial: true))
    }

    /// Narrows the pattern to requests whose JSON body has a value at a path.
    ///
    /// ```swift
    /// .post("/users").json(at: "user.addresses[0].city", "San José")
    /// ```
    ///
    /// Write a name that contains a dot, a bracket or a quote in brackets: `user["first.name"]`. A
    /// route with an invalid path fails the test.
    public func json(at path: String, _ value: some Encodable & Sendable) -> RequestPattern {
        adding(try Condition(JSONPath(path).name, json: Condition.json(value)))
    }

    /// Narrows the pattern to requests whose JSON body has a value that matches a pattern at a path.
    ///
    /// The pattern compares a string without its quotes, and any other scalar as JSON text. An
    /// object has the text `{}`. Of an array, one element must match. ``ValuePattern/absent``
    /// accepts only a JSON body without a value at the path.
    public func json(at path: String, _ pattern: ValuePattern) -> RequestPattern {
        adding(try Condition(JSONPath(path).name, pattern))
    }
}
