import Foundation

/// A type of request: it makes a `URLRequest` from an input, and an output from the response.
///
/// Both steps are pure functions, which you can test without a network. An ``APIClient`` joins the
/// URL to its base URL, and sends the request through its interceptors.
///
/// ```swift
/// struct DogsRequest: APIRequest {
///     typealias ResponseDataType = [Dog]
///
///     func makeRequest(from breed: String) throws -> URLRequest {
///         try URLRequest(.get, "dogs", query: ["breed": breed])
///     }
/// }
/// ```
///
/// `parseResponse(data:)` has defaults for outputs that are `Decodable`, `Data`, `String` or
/// `Void`. Without a declared `ResponseDataType`, the output is `Void`, and the body is ignored.
///
/// For the rules of a whole API, declare a protocol that inherits from this one. Implement the rules
/// in an extension: the decoder, the errors, or the accepted statuses.
public protocol APIRequest<RequestDataType, ResponseDataType>: Sendable {
    /// The input of a request, which is inferred from `makeRequest`, or `Void` if it needs none.
    associatedtype RequestDataType: Sendable = Void

    /// The output of a request, parsed from the response.
    associatedtype ResponseDataType: Sendable

    // Unconstrained, because `any ResponseDecoder` does not conform to `ResponseDecoder`.
    /// The type of the ``decoder``, which is inferred from its declaration.
    ///
    /// A request type whose decoder is not a ``ResponseDecoder`` has no default for
    /// ``parseResponse(data:)``.
    associatedtype DecoderType = any ResponseDecoder

    /// Makes the request for an input.
    ///
    /// The URL is absolute, or relative to the base URL of the client. The client calls the function
    /// once for each call, before the interceptors, and ``Retry`` sends the same request again.
    /// Reconnecting events call it for each connection.
    ///
    /// - Parameter data: The input.
    /// - Returns: The request to send.
    /// - Throws: Any error. The client throws it unchanged.
    func makeRequest(from data: RequestDataType) throws -> URLRequest

    /// Parses the body of an accepted response.
    ///
    /// Don't make it `async`: if the output is `Decodable`, Swift accepts that, but the client calls
    /// the default.
    ///
    /// - Parameter data: The body, which is empty if the response has none.
    /// - Returns: The output.
    /// - Throws: Any error. The client throws it unchanged, except that it wraps a `DecodingError`
    ///   in an ``APIError`` with the body.
    func parseResponse(data: Data) throws -> ResponseDataType

    /// Parses an accepted response. Implement it if the output depends on the header fields or the
    /// status.
    ///
    /// The default calls ``parseResponse(data:)`` with the body.
    ///
    /// - Parameter response: The response with its head and its body.
    /// - Returns: The output.
    /// - Throws: The same errors as ``parseResponse(data:)``.
    func parseResponse(_ response: APIResponse<Data>) throws -> ResponseDataType

    /// Decides whether the client parses a response with this head.
    ///
    /// The default accepts the statuses from 200 through 299. For any other response, the client
    /// calls ``parseError(_:)``.
    ///
    /// Declare it with exactly this parameter. Swift accepts a function with another type, such as
    /// `URLResponse`, but the client does not call it.
    func accepts(_ response: HTTPURLResponse) -> Bool

    /// Parses an error response, which is a response that ``accepts(_:)`` does not accept.
    ///
    /// Implement it to throw the errors of your API. Don't make it `async`: Swift accepts that, but
    /// the client does not call it. The client calls this function for the last response of a load,
    /// an upload, a stream, a download or reconnecting events, and throws the error that it returns.
    /// If it returns `nil`, as the default does, the client throws an ``APIError`` of kind
    /// ``APIError/Kind/status(_:)`` with the body.
    ///
    /// It is not called for a body of 1,000,000 bytes or more, which the client cuts there.
    ///
    /// - Parameter response: The response with its head and its body. If
    ///   ``ByteStream/Elements/decoded(as:until:decoder:)`` calls it for an event, the body is the
    ///   event's data, with the response head of the stream.
    /// - Returns: The error of your API, or `nil`.
    /// - Throws: Any error. The client throws it unchanged, with one exception: after a
    ///   `DecodingError`, it throws the ``APIError`` described above.
    func parseError(_ response: APIResponse<Data>) throws -> (any Error)?

    /// The decoder for `Decodable` outputs and for ``APIError/decodeBody(_:decoder:)``.
    ///
    /// The default is a new `JSONDecoder`. Declare the property as `any ResponseDecoder`, as `some
    /// ResponseDecoder`, or as the type of the decoder.
    ///
    /// It belongs to the request and not to the client, so a unit test of ``parseResponse(data:)``
    /// decodes as the app does.
    var decoder: DecoderType { get }
}

extension APIRequest {
    /// Parses the body of the response.
    public func parseResponse(_ response: APIResponse<Data>) throws -> ResponseDataType {
        guard ResponseDataType.self == String.self else {
            return try parseResponse(data: response.value)
        }
        return try BodyText.$charset.withValue(response.http.charset) {
            try parseResponse(data: response.value)
        }
    }

    /// Accepts the statuses from 200 through 299.
    public func accepts(_ response: HTTPURLResponse) -> Bool {
        (200..<300).contains(response.statusCode)
    }

    /// Returns `nil`, so that the client throws an ``APIError``.
    public func parseError(_ response: APIResponse<Data>) throws -> (any Error)? { nil }

    /// The request type's own decoder, or a JSON decoder if it is not a ``ResponseDecoder``.
    ///
    /// Use it where the decoder's type is unknown, such as in a protocol that inherits from this one.
    public var decoder: any ResponseDecoder {
        let declared: DecoderType = decoder
        return declared as? any ResponseDecoder ?? JSONDecoder()
    }
}

extension APIRequest where DecoderType == any ResponseDecoder {
    /// A new JSON decoder with its default strategies.
    public var decoder: any ResponseDecoder { JSONDecoder() }
}
