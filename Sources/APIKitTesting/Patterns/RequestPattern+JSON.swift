import APIKit
import Foundation

extension RequestPattern {
    /// Narrows the pattern to requests whose body is this JSON, by meaning.
    ///
    /// The order of keys and white space do not matter, and `1.0` equals `1`; `true` does not.
    public func json(
        _ value: some Encodable & Sendable,
        encoder: JSONEncoder = JSONEncoder()
    ) -> RequestPattern {
        adding(Condition(json: value, encoder: encoder))
    }

    /// Narrows the pattern to requests whose body is this JSON literal, by meaning.
    public func json(
        _ value: HTTPBody.JSON,
        encoder: JSONEncoder = JSONEncoder()
    ) -> RequestPattern {
        adding(Condition(json: value, encoder: encoder))
    }

    /// Narrows the pattern to requests whose body is a JSON object with these members.
    ///
    /// A value that is `nil` stands for `null`.
    @_disfavoredOverload
    public func json(
        _ members: KeyValuePairs<String, (any Encodable & Sendable)?>,
        encoder: JSONEncoder = JSONEncoder()
    ) -> RequestPattern {
        adding(Condition(json: JSONMembers(members), encoder: encoder))
    }

    /// Narrows the pattern to requests whose body is this JSON text, by meaning.
    ///
    /// A text that is not valid JSON makes a wrong route.
    public func json(text: String) -> RequestPattern {
        adding(Condition(jsonText: text))
    }

    /// Narrows the pattern to requests whose body contains this JSON.
    ///
    /// An object may have further members at any depth. An array has as many elements as expected,
    /// each containing what is expected of it.
    public func jsonContaining(
        _ value: some Encodable & Sendable,
        encoder: JSONEncoder = JSONEncoder()
    ) -> RequestPattern {
        adding(Condition(json: value, encoder: encoder, isPartial: true))
    }

    /// Narrows the pattern to requests whose body contains this JSON literal.
    public func jsonContaining(
        _ value: HTTPBody.JSON,
        encoder: JSONEncoder = JSONEncoder()
    ) -> RequestPattern {
        adding(Condition(json: value, encoder: encoder, isPartial: true))
    }

    /// Narrows the pattern to requests whose body contains these members.
    ///
    /// A value that is `nil` stands for `null`.
    @_disfavoredOverload
    public func jsonContaining(
        _ members: KeyValuePairs<String, (any Encodable & Sendable)?>,
        encoder: JSONEncoder = JSONEncoder()
    ) -> RequestPattern {
        adding(Condition(json: JSONMembers(members), encoder: encoder, isPartial: true))
    }

    /// Narrows the pattern to requests whose body contains this JSON text.
    ///
    /// A text that is not valid JSON makes a wrong route.
    public func jsonContaining(text: String) -> RequestPattern {
        adding(Condition(jsonText: text, isPartial: true))
    }
}
