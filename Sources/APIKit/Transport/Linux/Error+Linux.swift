import Foundation

#if canImport(FoundationNetworking)

extension Error {
    /// Returns the error with the code that Apple platforms use.
    ///
    /// For many failures corelibs reports no error code, or the code of an unsupported URL. Only
    /// libcurl's message identifies the failure. After the response head, unknown and TLS failures
    /// become lost connections. The code of a connection that was never made would permit any
    /// retry.
    ///
    /// If the code alone does not explain the failure, the message is the reason in the description.
    /// The refusal of a proxy always has a reason, because its code blames the host.
    func asOnEveryPlatform(hasHead: Bool = false) -> any Error {
        guard let error = self as? URLError, error.errorUserInfo[NSUnderlyingErrorKey] != nil,
            let text = error.errorUserInfo[NSLocalizedDescriptionKey] as? String
        else { return self }
        var code = codes.first { text.contains($0.message) }?.code ?? error.code
        if hasHead, code == .unknown || code.concernsTLS { code = .networkConnectionLost }
        var userInfo = error.errorUserInfo
        if code == .unknown || code.concernsTLS || text.concernsProxy {
            let proxy = Proxy(tunnelingTo: error.failingURL).map { " \($0.address)" } ?? ""
            userInfo[NSLocalizedFailureReasonErrorKey] =
                text.concernsProxy
                ? "the proxy\(proxy) refused the connection: \(text.asReason)" : text.asReason
        }
        return URLError(code, userInfo: userInfo)
    }
}

extension URLError.Code {
    /// Whether a connection could not be made secure.
    fileprivate var concernsTLS: Bool {
        let codes = Self.clientCertificateRequired.rawValue...Self.secureConnectionFailed.rawValue
        return codes.contains(rawValue)
    }
}

extension String {
    /// Whether it is a message of libcurl about the connection to a proxy.
    fileprivate var concernsProxy: Bool {
        ["CONNECT ", "Proxy CONNECT ", "Received HTTP code "].contains(where: hasPrefix)
    }

    /// A message of libcurl, shortened for the description of an error.
    ///
    /// It can contain text from the server.
    fileprivate var asReason: String {
        let text = String(trimmingPrefix("SSL certificate problem: "))
        return Redaction.secrets.text(ofValue: text).onOneLine.shortened(to: 200)
    }
}

/// The codes for libcurl's messages (`lib/vtls/openssl.c`, `lib/strerror.c`, `lib/http.c`,
/// `lib/http2.c`, `lib/http_proxy.c`, `lib/http_chunks.c`, `lib/content_encoding.c`,
/// `lib/transfer.c`), the most specific first.
private let codes: [(message: String, code: URLError.Code)] = [
    ("certificate problem: certificate has expired", .serverCertificateHasBadDate),
    ("certificate problem: certificate is not yet valid", .serverCertificateNotYetValid),
    ("certificate problem: unable to get", .serverCertificateHasUnknownRoot),
    ("certificate problem: unable to verify", .serverCertificateHasUnknownRoot),
    ("SSL certificate", .serverCertificateUntrusted),
    ("SSL peer certificate", .serverCertificateUntrusted),
    ("SSL: no alternative certificate subject name", .serverCertificateUntrusted),
    ("SSL: certificate subject name", .serverCertificateUntrusted),
    ("SSL: unable to obtain common name", .serverCertificateUntrusted),
    // The system's file of certificates is missing.
    ("error setting certificate", .serverCertificateHasUnknownRoot),
    ("Problem with the SSL CA cert", .serverCertificateHasUnknownRoot),
    ("alert certificate required", .clientCertificateRequired),
    // The connection to a proxy (RFC 9110, section 9.3.6). No request has reached the host.
    ("Proxy CONNECT aborted due to timeout", .timedOut),
    ("Proxy CONNECT aborted", .cannotConnectToHost),
    ("CONNECT tunnel failed", .cannotConnectToHost),
    ("from proxy after CONNECT", .cannotConnectToHost),
    ("SSL_read", .networkConnectionLost),
    ("SSL_write", .networkConnectionLost),
    ("SSL_connect", .secureConnectionFailed),
    ("SSL connect error", .secureConnectionFailed),
    ("TLS connect error", .secureConnectionFailed),
    ("SSL routines", .secureConnectionFailed),
    ("Unrecognized or bad HTTP Content", .cannotDecodeContentData),
    ("processing content unencoding", .cannotDecodeContentData),
    ("content encoding", .cannotDecodeContentData),
    // Bytes after the end of the compressed data. For these libcurl has only a general message. The
    // system accepts all data that libcurl has decoded, so the message has no other cause.
    ("Failed writing received data", .cannotDecodeContentData),
    ("Failed reading the chunked-encoded stream", .cannotDecodeContentData),
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
    // A stream of HTTP/2 that the server resets, or whose connection it closes (RFC 9113, section 7).
    ("HTTP/2 stream", .networkConnectionLost),
    ("HTTP/2 framing layer", .networkConnectionLost),
    ("HTTP2 framing layer", .networkConnectionLost),
    ("HTTP2 data", .networkConnectionLost),
    ("nghttp2", .networkConnectionLost),
    ("Connection died", .networkConnectionLost),
]

#endif
