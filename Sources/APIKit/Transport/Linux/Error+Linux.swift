import Foundation

#if canImport(FoundationNetworking)

extension Error {
    /// The error with the code of Apple platforms.
    ///
    /// For many failures corelibs reports no error code, or that of an unsupported URL. Only libcurl's
    /// message identifies them. Unknown failures after the response head are lost connections.
    func asOnEveryPlatform(hasHead: Bool = false) -> any Error {
        guard let error = self as? URLError, error.errorUserInfo[NSUnderlyingErrorKey] != nil,
            let text = error.errorUserInfo[NSLocalizedDescriptionKey] as? String
        else { return self }
        let code = codes.first { text.contains($0.message) }?.code
        guard let code = code ?? (hasHead && error.code == .unknown ? .networkConnectionLost : nil)
        else { return self }
        return URLError(code, userInfo: error.errorUserInfo)
    }
}

/// The codes for libcurl's messages (`lib/http.c`, `lib/http_chunks.c`, `lib/content_encoding.c`,
/// `lib/transfer.c`).
private let codes: [(message: String, code: URLError.Code)] = [
    ("Unrecognized content encoding", .cannotDecodeContentData),
    ("Unrecognized or bad HTTP Content", .cannotDecodeContentData),
    ("processing content unencoding", .cannotDecodeContentData),
    ("content encoding", .cannotDecodeContentData),
    ("chunked-encoding", .cannotDecodeRawData),
    ("Received HTTP/0.9", .cannotParseResponse),
    ("Unsupported HTTP", .cannotParseResponse),
    ("Unsupported response code", .cannotParseResponse),
    ("Weird server reply", .cannotParseResponse),
    ("Failed writing header", .cannotParseResponse),
    ("Header without colon", .cannotParseResponse),
    ("Nul byte in header", .cannotParseResponse),
    ("Invalid Content-Length", .cannotParseResponse),
    ("Too large response headers", .cannotParseResponse),
    ("transfer closed with", .networkConnectionLost),
    ("Transferred a partial file", .networkConnectionLost),
    ("Recv failure", .networkConnectionLost),
    ("Failure when receiving data from the peer", .networkConnectionLost),
    ("Empty reply from server", .networkConnectionLost),
    ("Send failure", .networkConnectionLost),
    ("Failed sending data to the peer", .networkConnectionLost),
]

#endif
