import Foundation

/// A failure of a call, with its request and its response.
///
/// A client throws errors of your own `makeRequest`, `parseResponse`, `parseError` and
/// interceptors unchanged, except a `DecodingError` of the two that parse. It throws
/// `CancellationError` for a canceled call, and an `APIError` for every other failure.
public struct APIError: Error {
    /// The step that failed.
    public let kind: Kind

    /// The request before the interceptors changed it, without any token that they set.
    public let request: URLRequest?

    /// The head of the response, if one arrived.
    public let response: HTTPURLResponse?

    /// The body of the response, if one arrived, such as a server's description of an error.
    ///
    /// Of a response that is not accepted, this is at most the first 1,000,000 bytes.
    public let body: Data?

    /// The error that caused this one, such as a `URLError` or a `DecodingError`.
    public let underlying: (any Error)?

    /// The request for the result of ``request``, if the server has processed that request.
    var resultRequest: URLRequest?

    /// The decoder of the request type, if the error belongs to a call.
    var decoder: (any ResponseDecoder)?

    /// Creates an error, for a transport, an interceptor or a test of your own.
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

    /// The error of the URL session, if it caused this one.
    ///
    /// The session's `URLError` arrives inside an `APIError`, also in a completion handler. So a
    /// cast of the error itself to `URLError` gives `nil`.
    public var urlError: URLError? { underlying as? URLError }

    /// The status code of the response, if one arrived.
    public var statusCode: Int? { response?.statusCode }

    /// The delay that the response asks for with `Retry-After`, or `nil` if it asks for none.
    ///
    /// A date counts from the `Date` of the response, because the clock of the device may be wrong. A date
    /// in the past asks for none.
    public var retryDelay: Duration? { response?.retryDelay(from: Date()) }

    /// Decodes the body, such as a server's description of an error.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - decoder: The decoder. The default is the ``APIRequest/decoder`` of the request type. An
    ///     error that you create, for example in a test, has a new `JSONDecoder` as its default.
    /// - Returns: The value.
    /// - Throws: The error of the decoder, which is usually a `DecodingError`. A missing body is
    ///   decoded as an empty one.
    public func decodeBody<Value: Decodable>(
        _ type: Value.Type,
        decoder: (any ResponseDecoder)? = nil
    ) throws -> Value {
        try (decoder ?? self.decoder ?? JSONDecoder()).decode(type, from: body ?? Data())
    }
}

extension APIError {
    /// The number of bytes after which the body of a refused response is cut.
    static let bodyLimit = 1_000_000

    /// Returns whether the body of a refused response is only its start.
    ///
    /// A body of exactly that size counts as cut: nothing tells whether more would follow.
    static func mayCut(_ body: Data) -> Bool { body.count == bodyLimit }

    /// Whether ``body`` is only the start of the body of a refused response.
    var isCut: Bool {
        if case .status = kind { body.map(Self.mayCut) == true } else { false }
    }

    /// The steps of a call that can fail.
    ///
    /// A later version may add a case, so end a `switch` with `@unknown default`. From Swift 6.2.3
    /// on, the compiler warns without it.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive(warn)
    #endif
    public enum Kind: Sendable, Equatable {
        /// The request cannot be sent, for the given reason.
        case invalidRequest(String)

        /// The transport failed before the response was complete. ``APIError/underlying`` gives the
        /// reason.
        case transport

        /// The transport returned a response that is not an `HTTPURLResponse`.
        case notHTTP

        /// ``APIRequest/accepts(_:)`` did not accept the response, in most cases because of its status.
        ///
        /// ``APIError/underlying`` is the `DecodingError` of ``APIRequest/parseError(_:)``, if it
        /// throws one.
        case status(Int)

        /// The body is larger than ``APIClient/maxBodyBytes``. ``Retry`` never repeats it.
        case bodyTooLarge(limit: Int)

        /// The body cannot be decoded. ``APIError/underlying`` gives the reason.
        case decoding

        /// The call exceeded its ``Deadline``.
        ///
        /// The response with its body, or the underlying error, is the last that an attempt of the
        /// call received before.
        case deadline

        /// A ``ConcurrencyLimit`` did not send the request, because its queue is full.
        ///
        /// If an interceptor of yours throws it, ``APIError/underlying`` gives the reason.
        ///
        /// ``Retry`` does not repeat it: further attempts of waiting calls would keep the queue full.
        case overloaded

        /// A file cannot be read or written. ``APIError/underlying`` gives the reason.
        case file(URL)
    }
}

extension APIError {
    /// Creates the error for a URL that is not a file URL.
    init(notFile url: URL) {
        self.init(.invalidRequest("\(Redaction.masked(url)) is not a file URL"))
    }

    /// Creates the error for a file that cannot be read, with a reason.
    init(unreadable url: URL, _ reason: String) {
        let words = [NSLocalizedDescriptionKey: reason]
        self.init(.file(url), underlying: CocoaError(.fileReadUnknown, userInfo: words))
    }
}

extension URLError {
    /// Creates an error with the URL of the failing request.
    package init(_ code: Code, failing url: URL?) {
        self.init(code, userInfo: url.map { [NSURLErrorFailingURLErrorKey: $0] } ?? [:])
    }
}

// `dump` shows the description, which has no secrets.
extension APIError: DumpsWithoutSecrets {}
