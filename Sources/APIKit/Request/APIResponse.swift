import Foundation

/// A response: its head, and a value that is its data, its stream, its file or the decoded output.
public struct APIResponse<Value: Sendable>: Sendable {
    /// The body, or the output parsed from it.
    public let value: Value

    /// The head of the response: its status, its header fields and its URL after any redirects.
    public let http: HTTPURLResponse

    /// The status code of the response.
    public var statusCode: Int { http.statusCode }

    /// Creates a response from a value and a head.
    public init(value: Value, http: HTTPURLResponse) {
        self.value = value
        self.http = http
    }

    /// Returns the response with a transformed value.
    public func map<Other: Sendable>(
        _ transform: (Value) throws -> Other
    ) rethrows -> APIResponse<Other> {
        APIResponse<Other>(value: try transform(value), http: http)
    }
}

extension APIResponse<Data> {
    /// The problem that the body describes.
    ///
    /// It is `nil` if the `Content-Type` is not `application/problem+json`, with or without
    /// parameters, or if the body is not a JSON object.
    public var problem: ProblemDetails? { ProblemDetails(of: http, body: value) }
}

extension APIResponse: DumpsWithoutSecrets {
    package var dumped: KeyValuePairs<String, Any> {
        [
            "value": value,
            "statusCode": statusCode,
            "url": http.url.map(Redaction.masked(_:)) ?? "none",
            "headers": Redaction.masked(http.headers),
        ]
    }
}
