import Foundation

/// A failure of a call, with everything that is known of it.
///
/// Errors that you throw in `makeRequest` or `parseResponse`, or in an interceptor of your own,
/// arrive as themselves. Cancellation arrives as `CancellationError`. Everything else is one of
/// these.
public struct APIError: Error {
    /// What went wrong.
    public let kind: Kind

    /// The request as it entered the interceptors, so without a token that one of them attached.
    public let request: URLRequest?

    /// The head of the response, if one arrived.
    public let response: HTTPURLResponse?

    /// The body of the response, if one arrived: what the server says about a refusal is in here.
    ///
    /// Of a refused stream or download it is the first 64 KiB.
    public let body: Data?

    /// The error that caused this one: a `URLError`, say, or a `DecodingError`.
    public let underlying: (any Error)?

    /// Creates an error, as a transport or an interceptor of your own may do.
    public init(
        _ kind: Kind,
        request: URLRequest? = nil,
        response: HTTPURLResponse? = nil,
        body: Data? = nil,
        underlying: (any Error)? = nil
    ) {
        self.kind = kind
        self.request = request
        self.response = response
        self.body = body
        self.underlying = underlying
    }

    /// The status code of the response, if one arrived.
    public var statusCode: Int? { response?.statusCode }

    /// Decodes the body, as for a server that describes its refusals.
    ///
    /// - Throws: A `DecodingError`, also where there is no body.
    public func decodeBody<Value: Decodable>(
        _ type: Value.Type,
        decoder: any ResponseDecoder = JSONDecoder()
    ) throws -> Value {
        try decoder.decode(type, from: body ?? Data())
    }
}

extension APIError {
    /// The steps of a call that can fail.
    public enum Kind: Sendable, Equatable {
        /// No request could be made, for the reason given.
        case invalidRequest(String)

        /// The transport failed before the response was complete; ``APIError/underlying`` says why.
        case transport

        /// The transport answered with something that is not HTTP.
        case notHTTP

        /// The response was refused by ``APIRequest/accepts(_:)``, most often for its status.
        case status(Int)

        /// The body was not what the request expects; ``APIError/underlying`` says where.
        case decoding

        /// The time allowed for the call ran out.
        case deadline

        /// A file could not be read or written; ``APIError/underlying`` says why.
        case file(URL)
    }
}
