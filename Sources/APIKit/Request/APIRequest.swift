import Foundation

/// A kind of request: what is asked of a server, and what its answer means.
///
/// A request is two pure functions, so each is tested without a network: one makes a `URLRequest`
/// from an input, the other makes an output from the data that came back. Where the request goes
/// is the business of an ``APIClient``, and what happens on the way that of its interceptors.
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
/// `parseResponse(data:)` is there already for outputs that are `Decodable`, `Data`, `String` or
/// `Void`. Rules for a whole API, its decoder or the statuses it accepts, belong in a protocol of
/// your own that inherits from this one and gives them in an extension.
public protocol APIRequest<RequestDataType, ResponseDataType>: Sendable {
    /// The input that a request is made from; `Void` for a request that needs none.
    associatedtype RequestDataType: Sendable

    /// The output that a response is parsed into.
    associatedtype ResponseDataType: Sendable

    /// Makes the request to send for an input.
    ///
    /// The URL may be absolute, or relative to the base URL of the client.
    ///
    /// - Parameter data: The input.
    /// - Returns: The request to send.
    /// - Throws: Any error; it reaches the caller of the client as itself.
    func makeRequest(from data: RequestDataType) throws -> URLRequest

    /// Parses the body of an accepted response.
    ///
    /// - Parameter data: The body, empty if there was none.
    /// - Returns: The output.
    /// - Throws: Any error; it reaches the caller of the client as itself, apart from a
    ///   `DecodingError`, which arrives in an ``APIError`` that also carries the body.
    func parseResponse(data: Data) throws -> ResponseDataType

    /// Parses an accepted response whose headers or status matter.
    ///
    /// The default calls ``parseResponse(data:)`` with the body.
    ///
    /// - Parameter response: The response, whole.
    /// - Returns: The output.
    /// - Throws: The same errors as ``parseResponse(data:)``.
    func parseResponse(_ response: APIResponse<Data>) throws -> ResponseDataType

    /// Tells whether a response is worth parsing, from its status and headers alone.
    ///
    /// The default accepts the statuses from 200 through 299. A response that is not accepted is
    /// thrown as an ``APIError`` of kind ``APIError/Kind/status(_:)`` with its body.
    func accepts(_ response: HTTPURLResponse) -> Bool

    /// The decoder for outputs that are `Decodable`; a new `JSONDecoder` unless given.
    ///
    /// It belongs to the request and not to the client, so that a unit test of
    /// ``parseResponse(data:)`` decodes just as the app does.
    var decoder: any ResponseDecoder { get }
}

extension APIRequest {
    /// Parses the body of the response.
    public func parseResponse(_ response: APIResponse<Data>) throws -> ResponseDataType {
        try parseResponse(data: response.value)
    }

    /// Accepts the statuses from 200 through 299.
    public func accepts(_ response: HTTPURLResponse) -> Bool {
        (200..<300).contains(response.statusCode)
    }

    /// A new JSON decoder with its default strategies.
    public var decoder: any ResponseDecoder { JSONDecoder() }
}
