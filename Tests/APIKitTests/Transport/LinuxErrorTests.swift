#if canImport(FoundationNetworking)
import Foundation
import Testing

@testable import APIKit

/// The error codes for the messages of libcurl, with several versions of its TLS libraries.
@Suite(.inTurn) struct LinuxErrorTests {
    /// Returns the error for a failure of the system with a message of libcurl.
    private func error(
        _ message: String, code: URLError.Code = .unknown, hasHead: Bool = false
    ) -> URLError? {
        let error = URLError(
            code,
            userInfo: [
                NSLocalizedDescriptionKey: message,
                NSUnderlyingErrorKey: NSError(domain: NSURLErrorDomain, code: code.rawValue),
            ])
        return error.asOnEveryPlatform(hasHead: hasHead) as? URLError
    }

    private func reason(_ message: String) -> String? {
        error(message)?.errorUserInfo[NSLocalizedFailureReasonErrorKey] as? String
    }

    @Test(
        arguments: [
            ("certificate has expired", .serverCertificateHasBadDate),
            ("certificate is not yet valid", .serverCertificateNotYetValid),
            ("unable to get local issuer certificate", .serverCertificateHasUnknownRoot),
            ("unable to get issuer certificate", .serverCertificateHasUnknownRoot),
            ("unable to verify the first certificate", .serverCertificateHasUnknownRoot),
            ("self-signed certificate", .serverCertificateUntrusted),
            ("self signed certificate", .serverCertificateUntrusted),
            ("self-signed certificate in certificate chain", .serverCertificateUntrusted),
            ("certificate revoked", .serverCertificateUntrusted),
            ("EE certificate key too weak", .serverCertificateUntrusted),
        ] as [(String, URLError.Code)])
    func certificateThatIsNotTrustedHasItsCodeAndReason(
        problem: String, code: URLError.Code
    ) {
        let error = error("SSL certificate problem: \(problem)")

        #expect(error?.code == code)
        #expect(error?.errorUserInfo[NSLocalizedFailureReasonErrorKey] as? String == problem)
    }

    @Test(arguments: [
        "SSL: no alternative certificate subject name matches target host name 'dogs.example'",
        "SSL: no alternative certificate subject name matches target ipv4 address '127.0.0.1'",
        "SSL: certificate subject name 'cats.example' does not match target host name 'dogs.example'",
        "SSL: unable to obtain common name from peer certificate",
        "SSL certificate verify result: certificate revoked (23)",
        "SSL peer certificate or SSH remote key was not OK",
    ])
    func certificateOfAnotherHostIsNotTrusted(message: String) {
        #expect(error(message)?.code == .serverCertificateUntrusted)
        #expect(reason(message) == message)
    }

    @Test(arguments: [
        "error setting certificate file: /etc/ssl/certs/ca-certificates.crt",
        "error setting certificate verify locations:  CAfile: /a/b CApath: none",
        "Problem with the SSL CA cert (path? access rights?)",
    ])
    func systemWithoutCertificatesKnowsNoRoot(message: String) {
        #expect(error(message)?.code == .serverCertificateHasUnknownRoot)
    }

    @Test(arguments: [
        "OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number",
        "error:1408F10B:SSL routines:ssl3_get_record:wrong version number",
        "BoringSSL: error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER",
        "TLS connect error: error:0A000410:SSL routines::ssl/tls alert handshake failure",
        "TLS connect error: error:00000000:lib(0)::reason(0)",
        "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to 127.0.0.1:443 ",
        "OpenSSL SSL_connect: Connection reset by peer in connection to 127.0.0.1:443 ",
        "SSL connect error",
    ])
    func failedHandshakeIsAFailedSecureConnection(message: String) {
        #expect(error(message)?.code == .secureConnectionFailed)
        #expect(reason(message)?.isEmpty == false)
    }

    @Test(arguments: [
        "OpenSSL SSL_read: OpenSSL/3.0.19: error:0A000126:SSL routines::unexpected eof while "
            + "reading, errno 0",
        "OpenSSL SSL_read: Connection reset by peer, errno 104",
        "OpenSSL SSL_write: Broken pipe, errno 32",
        "BoringSSL SSL_read: BoringSSL: error:1e000065:Cipher functions:OPENSSL_internal:BAD_DECRYPT, "
            + "errno 0",
    ])
    func failureAfterTheHandshakeIsALostConnection(message: String) {
        #expect(error(message)?.code == .networkConnectionLost)
        #expect(reason(message) == nil)
    }

    @Test func missingClientCertificateHasItsOwnCode() {
        let message =
            "OpenSSL SSL_read: OpenSSL/3.0.19: error:0A00045C:SSL routines::tlsv13 alert certificate "
            + "required, errno 0"

        #expect(error(message)?.code == .clientCertificateRequired)
        #expect(reason(message) == message)
    }

    @Test(
        arguments: [
            (
                "Unrecognized content encoding type. libcurl understands gzip content encodings.",
                .cannotDecodeContentData
            ),
            ("Unrecognized or bad HTTP Content or Transfer-Encoding", .cannotDecodeContentData),
            ("Error while processing content unencoding: invalid code", .cannotDecodeContentData),
            ("Reject response due to more than 5 content encodings", .cannotDecodeContentData),
            ("Failed writing received data to disk/application", .cannotDecodeContentData),
            ("Failed reading the chunked-encoded stream", .cannotDecodeContentData),
            ("Illegal or missing hexadecimal sequence in chunked-encoding", .cannotDecodeRawData),
            ("Received HTTP/0.9 when not allowed", .cannotParseResponse),
            ("Unsupported HTTP version (3.7) in response", .cannotParseResponse),
            ("Unsupported HTTP/1 subversion in response", .cannotParseResponse),
            ("Unsupported response code in HTTP response", .cannotParseResponse),
            ("Weird server reply", .cannotParseResponse),
            ("Failed writing header", .cannotParseResponse),
            ("Header without colon", .cannotParseResponse),
            ("Nul byte in header", .cannotParseResponse),
            ("Invalid Content-Length: value", .cannotParseResponse),
            ("Too large response headers: 307201 > 307200", .cannotParseResponse),
            ("Out of memory", .cannotParseResponse),
            ("transfer closed with 5 bytes remaining to read", .networkConnectionLost),
            ("transfer closed with outstanding read data remaining", .networkConnectionLost),
            ("Transferred a partial file", .networkConnectionLost),
            ("Recv failure: Connection reset by peer", .networkConnectionLost),
            ("Failure when receiving data from the peer", .networkConnectionLost),
            ("Empty reply from server", .networkConnectionLost),
            ("Send failure: Broken pipe", .networkConnectionLost),
            ("Failed sending data to the peer", .networkConnectionLost),
            (
                "HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)",
                .networkConnectionLost
            ),
            (
                "HTTP/2 stream 1 was not closed cleanly before end of the underlying stream",
                .networkConnectionLost
            ),
            (
                "HTTP/2 stream 1 was closed cleanly, but before getting all response header "
                    + "fields, treated as error", .networkConnectionLost
            ),
            (
                "HTTP/2 stream 1 reset by server (error 0x2 INTERNAL_ERROR)",
                .networkConnectionLost
            ),
            ("Stream error in the HTTP/2 framing layer", .networkConnectionLost),
            ("Error in the HTTP2 framing layer", .networkConnectionLost),
            ("Failed receiving HTTP2 data", .networkConnectionLost),
            (
                "nghttp2 shuts down connection with error 11: ENHANCE_YOUR_CALM",
                .networkConnectionLost
            ),
            ("Connection died, tried 5 times before giving up", .networkConnectionLost),
        ] as [(String, URLError.Code)], [false, true])
    func failureOfATransferHasItsCodeAlsoAfterTheHead(
        failure: (message: String, code: URLError.Code), hasHead: Bool
    ) {
        let error = error(failure.message, code: .unsupportedURL, hasHead: hasHead)

        #expect(error?.code == failure.code)
        #expect(error?.errorUserInfo[NSLocalizedFailureReasonErrorKey] == nil)
    }

    @Test(arguments: [
        "error:0A000119:SSL routines::decryption failed or bad record mac",
        "SSL certificate problem: certificate has expired",
        "error:0A00045C:SSL routines::tlsv13 alert certificate required",
    ])
    func failureOfTLSAfterTheHeadIsALostConnection(message: String) {
        let error = error(message, hasHead: true)

        #expect(error?.code == .networkConnectionLost)
        #expect(error?.errorUserInfo[NSLocalizedFailureReasonErrorKey] == nil)
    }

    @Test(
        arguments: [
            "CONNECT tunnel failed, response 403",
            "Received HTTP code 407 from proxy after CONNECT",
            "Proxy CONNECT aborted",
        ], [false, true])
    func refusalOfAProxyNamesTheProxy(message: String, hasHead: Bool) {
        let error = error(message, hasHead: hasHead)

        #expect(error?.code == .cannotConnectToHost)
        #expect(
            error?.errorUserInfo[NSLocalizedFailureReasonErrorKey] as? String
                == "the proxy refused the connection: \(message)")
    }

    @Test func unknownFailureKeepsItsCodeAndHasAReason() {
        #expect(error("Out of dogs")?.code == .unknown)
        #expect(reason("Out of dogs") == "Out of dogs")
        #expect(error("Out of dogs", code: .timedOut)?.code == .timedOut)
        #expect(error("Out of dogs", code: .timedOut, hasHead: true)?.code == .timedOut)
        #expect(error("Out of dogs", hasHead: true)?.code == .networkConnectionLost)
    }

    @Test func errorThatTheSystemDidNotMakeIsUnchanged() {
        // Those of the system have an underlying error and a description.
        let described = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: "SSL_read"])
        let caused = URLError(
            .unknown, userInfo: [NSUnderlyingErrorKey: CocoaError(.featureUnsupported)])

        for error in [described, caused] {
            let result = error.asOnEveryPlatform(hasHead: true) as? URLError
            #expect(result?.code == .unknown)
            #expect(result?.errorUserInfo.count == 1)
        }
        #expect(CancellationError().asOnEveryPlatform(hasHead: true) is CancellationError)
    }

    @Test func textOfTheServerIsShownOnOneLineWithoutSecrets() {
        let name =
            "a\r\n\u{202E}b https://dogs.example/?secret=s3cr3t "
            + String(repeating: "c", count: 300)

        let reason = reason("SSL: certificate subject name '\(name)' does not match")

        #expect(reason?.hasPrefix("SSL: certificate subject name 'a b https://") == true)
        #expect(reason?.contains("s3cr3t") == false)
        #expect(reason?.count == 200)
    }

    @Test func textOfTheServerIsNotTakenForThePrefixOfAMessage() {
        let message = "SSL: certificate subject name 'SSL certificate problem: ' does not match"

        #expect(reason(message) == message)
    }
}
#endif
