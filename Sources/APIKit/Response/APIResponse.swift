import Foundation

/// A response with its head: the one shape of an answer at every stage, from data to decoded value.
public struct APIResponse<Value: Sendable>: Sendable {
    /// The body, or what it was parsed into.
    public let value: Value

    /// The head of the response: its status, its headers and the URL that answered in the end.
    public let http: HTTPURLResponse

    /// The status code of the response.
    public var statusCode: Int { http.statusCode }

    /// Creates a response from a value and a head.
    public init(value: Value, http: HTTPURLResponse) {
        self.value = value
        self.http = http
    }

    /// Returns the same response with another value.
    public func map<Other: Sendable>(
        _ transform: (Value) throws -> Other
    ) rethrows -> APIResponse<Other> {
        APIResponse<Other>(value: try transform(value), http: http)
    }
}
