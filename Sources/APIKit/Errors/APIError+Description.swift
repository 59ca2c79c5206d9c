import Foundation

extension APIError: CustomStringConvertible, LocalizedError {
    /// A sentence with the method, the URL and the failure, with secrets masked.
    ///
    /// The error of a mock server is unchanged, because it names the request itself.
    public var description: String {
        if let error = underlying as? any ErrorWithoutSecrets { return "\(error)" }
        return "\(subject) \(predicate)".asSentence
    }

    /// The same sentence as ``description``.
    public var errorDescription: String? { description }

    private var subject: String {
        let request = request.map(Redaction.masked(_:)) ?? "The request"
        return resultRequest.map { "\(request) was processed, but \(Redaction.masked($0))" }
            ?? request
    }

    private var predicate: String {
        switch kind {
        case .invalidRequest(let reason): "cannot be sent: \(reason)"
        case .transport, .bodyTooLarge, .file: "failed: \(reason)"
        case .notHTTP: "returned a response that is not HTTP"
        case .status: "was \(reason)"
        case .decoding: "returned a body that cannot be decoded: \(cause)"
        case .deadline: "did not finish within its deadline\(lastAttempt)"
        case .overloaded: "was not sent: \(reason)"
        }
    }

    /// How the last attempt before a deadline ended.
    private var lastAttempt: String {
        if let underlying { return ", after an attempt failed: \(Self.clause(for: underlying))" }
        // Not the start of a text: the response may be accepted, with data of a person.
        let summary = problem?.summary.map { ": \($0)" } ?? ""
        return statusCode.map { ", after a response with status \($0)\(summary)" } ?? ""
    }

    /// What an error response says: its problem details, or the start of a text.
    private var explanation: String {
        (problem?.summary ?? body?.start(sentWith: response)).map { ": \($0)" } ?? ""
    }

    private var cause: String {
        if kind == .decoding, let error = underlying as? DecodingError {
            return error.reason(in: body, of: response)
        }
        return underlying.map(Self.clause(for:)) ?? "no reason was given"
    }

    /// The failure, for a text that already names the request.
    private var reason: String {
        switch kind {
        case .invalidRequest(let reason): reason
        case .transport: cause
        case .notHTTP: "the response is not HTTP"
        case .status(let status):
            """
            refused with status \(status)\
            \(isCut ? ", with a body of at least 1,000,000 bytes that parseError did not receive" : "")\
            \(explanation)
            """
        case .bodyTooLarge(let limit):
            """
            the body has more than \(limit.byteCount); use download or stream, or set a higher \
            maxBodyBytes
            """
        case .decoding: "the body cannot be decoded: \(cause)"
        case .deadline: "the deadline has passed"
        case .overloaded:
            underlying.map(Self.clause(for:)) ?? "the queue of its ConcurrencyLimit is full"
        case .file(let url):
            "the file \(url.path(percentEncoded: false)) cannot be read or written: \(cause)"
        }
    }

    /// Returns the description of an error as a clause.
    package static func clause(for error: any Error) -> String {
        switch error {
        case let error as APIError: error.reason
        case let error as URLError: error.reason
        case let error as DecodingError: error.reason()
        case is any ErrorWithoutSecrets: "\(error)".withoutFullStop
        // The error's own description contains the value.
        case EncodingError.invalidValue(_, let context):
            "\(context.codingPath.place) cannot be encoded"
        // The description of an Objective-C error contains all of its details, including URLs.
        case is CocoaError, is POSIXError,
            _ where type(of: error) is NSError.Type:
            (error as NSError).reason
        default: Redaction.secrets.masked("\(error)").withoutFullStop
        }
    }
}

extension String {
    /// Creates the name of a type for a message, with the types around it and without its module.
    package init(naming type: Any.Type) {
        self = String(reflecting: type)
            .replacing(/\(unknown context at \$\w+\)\./, with: "")
            .replacing(/\w+\.([\w.]+)/) { $0.1 }
    }
}

extension URLError {
    /// The failure in plain words.
    ///
    /// The error's own description contains the URL with its secrets.
    fileprivate var reason: String {
        let words =
            switch code {
            case .timedOut: "the request timed out"
            case .cannotFindHost: "the host cannot be found"
            case .cannotConnectToHost: "the host does not accept the connection"
            case .networkConnectionLost: "the connection was lost"
            case .notConnectedToInternet: "there is no connection to the internet"
            case .badServerResponse: "the server sent no usable response"
            case .cannotParseResponse, .cannotDecodeRawData: "the response is not valid HTTP"
            case .cannotDecodeContentData: "the body of the response cannot be decompressed"
            case .unsupportedURL: "the URL is not supported"
            case .httpTooManyRedirects: "there were too many redirects"
            case .secureConnectionFailed: "no secure connection could be made"
            case .serverCertificateUntrusted: "the certificate of the server is not trusted"
            case .serverCertificateHasBadDate: "the certificate of the server is out of date"
            case .serverCertificateNotYetValid: "the certificate of the server is not valid yet"
            case .serverCertificateHasUnknownRoot:
                "the certificate of the server has an unknown root"
            case .clientCertificateRequired: "the server requires a client certificate"
            default: "the URL loading system failed"
            }
        let detail = errorUserInfo[NSLocalizedFailureReasonErrorKey] as? String
        return "\(words)\(detail.map { ": \($0)" } ?? "") (URLError \(code.rawValue))"
    }
}

extension NSError {
    /// The failure, described by the operating system if it concerns a file.
    ///
    /// Foundation's description differs by platform, and repeats the path of the file.
    fileprivate var reason: String {
        let underlying = userInfo[NSUnderlyingErrorKey] as? any Error
        let cause = domain == NSCocoaErrorDomain ? underlying : nil
        let error = (cause ?? self) as NSError
        guard error.domain == NSPOSIXErrorDomain else {
            // Foundation gives the position of malformed JSON only in the debug description.
            let isMalformed = code == CocoaError.Code.propertyListReadCorrupt.rawValue
            let mistake = isMalformed ? userInfo["NSDebugDescription"] as? String : nil
            return Redaction.secrets.masked(mistake ?? localizedDescription).withoutFullStop
        }
        return String(cString: strerror(Int32(clamping: error.code)))
    }
}

extension String {
    var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }

    /// The text with a full stop, except after a URL, a path or an ellipsis, which would seem to
    /// include it.
    var asSentence: String {
        let lastWord = split(whereSeparator: \.isWhitespace).last ?? ""
        let isLocation = lastWord.contains("://") || lastWord.hasPrefix("/")
        let isQuoted = last.map("\"')”’".contains) ?? false
        return isLocation && !isQuoted || hasSuffix("…") ? self : "\(self)."
    }
}

extension BinaryInteger {
    /// The number with a comma after each group of thousands.
    var grouped: String {
        guard self >= 1000 else { return "\(self)" }
        return "\((self / 1000).grouped),\(String(1000 + self % 1000).dropFirst())"
    }

    /// The number as a size in bytes.
    var byteCount: String { "\(grouped) \(self == 1 ? "byte" : "bytes")" }
}
