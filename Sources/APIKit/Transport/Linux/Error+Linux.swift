import Foundation

#if canImport(FoundationNetworking)

extension Error {
    /// Returns the error with the code that Apple platforms use.
    ///
    /// For many failures corelibs reports no error code, or the code of an unsupported URL. Only
    /// libcurl's message identifies the failure. After the response head, unknown and TLS failures
    /// become lost connections. The code of a connection that was never made would permit any
    /// retry. So it also does after bytes of the body: libcurl has lost a kept connection, and then
    /// found no server to send the request to again.
    ///
    /// If the code alone does not explain the failure, the message is the reason in the description.
    /// The refusal of a proxy always has a reason, because its code blames the host.
    func asOnEveryPlatform(hasHead: Bool = false, hasSent: Bool = false) -> any Error {
        guard let error = self as? URLError, error.errorUserInfo[NSUnderlyingErrorKey] != nil,
            let text = error.errorUserInfo[NSLocalizedDescriptionKey] as? String
        else { return self }
        var code = codes.first { $0.value.contains(where: text.contains) }?.key ?? error.code
        if hasHead, code == .unknown || code.concernsTLS { code = .networkConnectionLost }
        if hasSent, code.permitsAnyRetry { code = .networkConnectionLost }
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

    /// Whether it means that no connection was made, so the request was not sent.
    fileprivate var permitsAnyRetry: Bool {
        [.cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .secureConnectionFailed]
            .contains(self)
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
        return Redaction.secrets.masked(text).onOneLine.shortened(to: 200)
    }
}

/// The codes for libcurl's messages (`lib/vtls/openssl.c`, `lib/strerror.c`, `lib/http.c`,
/// `lib/http2.c`, `lib/http_proxy.c`, `lib/http_chunks.c`, `lib/content_encoding.c`,
/// `lib/transfer.c`), the most specific first.
private let codes: KeyValuePairs<URLError.Code, [String]> = [
    .serverCertificateHasBadDate: ["certificate problem: certificate has expired"],
    .serverCertificateNotYetValid: ["certificate problem: certificate is not yet valid"],
    .serverCertificateHasUnknownRoot: [
        "certificate problem: unable to get", "certificate problem: unable to verify",
        // The system's file of certificates is missing.
        "error setting certificate", "Problem with the SSL CA cert",
    ],
    .serverCertificateUntrusted: [
        "SSL certificate", "SSL peer certificate", "SSL: certificate subject name",
        "SSL: no alternative certificate subject name", "SSL: unable to obtain common name",
    ],
    .clientCertificateRequired: ["alert certificate required"],
    // The connection to a proxy (RFC 9110, section 9.3.6). No request has reached the host.
    .timedOut: ["Proxy CONNECT aborted due to timeout"],
    .cannotConnectToHost: [
        "Proxy CONNECT aborted", "CONNECT tunnel failed", "from proxy after CONNECT",
    ],
    .networkConnectionLost: ["SSL_read", "SSL_write"],
    .secureConnectionFailed: [
        "SSL_connect", "SSL connect error", "TLS connect error", "SSL routines",
    ],
    .cannotDecodeContentData: [
        "Unrecognized or bad HTTP Content", "processing content unencoding", "content encoding",
        // Bytes after the end of the compressed data. For these libcurl has only a general message.
        // The system accepts all data that libcurl has decoded, so the message has no other cause.
        "Failed writing received data", "Failed reading the chunked-encoded stream",
    ],
    .cannotDecodeRawData: ["chunked-encoding"],
    .cannotParseResponse: [
        "Received HTTP/0.9", "Unsupported HTTP", "Unsupported response code", "Weird server reply",
        "Failed writing header", "Header without colon", "Nul byte in header",
        "Invalid Content-Length", "Too large response headers",
        // Of a header field above 100 KB.
        "Out of memory",
    ],
    // The last five are of HTTP/2: a stream that the server resets, or whose connection it closes
    // (RFC 9113, section 7).
    .networkConnectionLost: [
        "transfer closed with", "Transferred a partial file", "Recv failure",
        "Failure when receiving data from the peer", "Empty reply from server", "Send failure",
        "Failed sending data to the peer", "Connection died", "HTTP/2 stream",
        "HTTP/2 framing layer", "HTTP2 framing layer", "HTTP2 data", "nghttp2",
    ],
]

#endif
