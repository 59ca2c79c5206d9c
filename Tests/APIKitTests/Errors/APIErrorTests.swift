import APIKit
import Foundation
import Testing

@Suite(.inTurn) struct APIErrorTests {
    @Test(
        arguments: [
            (.invalidRequest("it has no URL"), "cannot be sent: it has no URL."),
            (.transport, "failed: no reason was given."),
            (.notHTTP, "returned a response that is not HTTP."),
            (.status(404), "was refused with status 404."),
            (.decoding, "returned a body that cannot be decoded: no reason was given."),
            (.deadline, "did not finish within its deadline."),
            (
                .file(URL(filePath: "/a b/ü")),
                "failed: the file /a b/ü cannot be read or written: no reason was given."
            ),
        ] as [(APIError.Kind, String)])
    func descriptionNamesRequestAndFailure(kind: APIError.Kind, predicate: String) throws {
        let error = APIError(kind, request: try .make("PUT"))

        #expect(error.description == "PUT https://api.example.com/v1/dogs \(predicate)")
        #expect(error.errorDescription == error.description)
        #expect(error.localizedDescription == error.description)
    }

    @Test func errorWithoutRequestIsDescribed() {
        #expect(APIError(.status(404)).description == "The request was refused with status 404.")
    }

    @Test(
        arguments: [
            (#"{"error":"invalid_grant"}"#, nil, #": {"error":"invalid_grant"}."#),
            ("Choose\n another breed.", "text/plain", ": Choose another breed."),
            (
                #"{"message":"Validation Failed","errors":[{"resource":"Dog","field":"breed"}]}"#,
                "application/json",
                #": {"message":"Validation Failed","errors":[{"resource":"Dog",…"#
            ),
            // The excerpt ends within the password.
            (
                #"{"token":"\#(String(repeating: "q8Zt3kLw9X", count: 37))","password":"hunter2"}"#,
                nil, #": {"token":"***","password":"***."#
            ),
            ("q8Zt3kLw9Xv2Rb7Nc1Ym", "text/plain", "."), ("\u{0} binary", "image/png", "."),
        ] as [(String, String?, String)])
    func refusalHasStartOfText(body: String, contentType: String?, text: String) throws {
        let headers = contentType.map { ["Content-Type": $0] } ?? [:]
        let error = APIError(
            .status(422), response: try .make(422, headers: headers), body: Data(body.utf8))

        #expect(error.description == "The request was refused with status 422\(text)")
    }

    @Test func requestWithoutURLIsDescribed() throws {
        var request = try URLRequest.make("PUT")
        request.url = nil

        let error = APIError(.invalidRequest("it has no URL"), request: request)

        #expect(error.description == "PUT without a URL cannot be sent: it has no URL.")
    }

    @Test(
        arguments: [
            (.timedOut, "the request timed out"),
            (.cannotFindHost, "the host cannot be found"),
            (.cannotConnectToHost, "the host does not accept the connection"),
            (.networkConnectionLost, "the connection was lost"),
            (.notConnectedToInternet, "there is no connection to the internet"),
            (.badServerResponse, "the server sent no usable response"),
            (.cannotParseResponse, "the response is not valid HTTP"),
            (.cannotDecodeRawData, "the response is not valid HTTP"),
            (.cannotDecodeContentData, "the body of the response cannot be decompressed"),
            (.unsupportedURL, "the URL is not supported"),
            (.httpTooManyRedirects, "there were too many redirects"),
            (.secureConnectionFailed, "no secure connection could be made"),
            (.serverCertificateUntrusted, "the certificate of the server is not trusted"),
            (.serverCertificateHasBadDate, "the certificate of the server is out of date"),
            (.serverCertificateNotYetValid, "the certificate of the server is not valid yet"),
            (
                .serverCertificateHasUnknownRoot,
                "the certificate of the server has an unknown root"
            ),
            (.clientCertificateRequired, "the server requires a client certificate"),
            (.dnsLookupFailed, "the URL loading system failed"),
        ] as [(URLError.Code, String)])
    func urlErrorIsDescribedInPlainWords(code: URLError.Code, words: String) throws {
        let error = APIError(.transport, request: try .make(), underlying: URLError(code))

        #expect(
            error.description == """
                GET https://api.example.com/v1/dogs failed: \
                \(words) (URLError \(code.rawValue)).
                """)
    }

    @Test func userInfoOfURLErrorIsOmitted() throws {
        let url = try URL.make("https://user:hunter2@api.example.com/?secret=hunter2")
        let cause = URLError(
            .timedOut,
            userInfo: [
                NSURLErrorFailingURLErrorKey: url,
                "NSErrorFailingURLStringKey": url.absoluteString,
                NSLocalizedDescriptionKey: "hunter2",
            ])

        let error = APIError(.transport, request: URLRequest(url: url), underlying: cause)

        #expect(
            error.description == """
                GET https://***@api.example.com/?secret=*** failed: \
                the request timed out (URLError -1001).
                """)
    }

    @Test func userInfoOfNSErrorIsOmitted() throws {
        let cause = NSError(
            domain: "Vendor", code: 7,
            userInfo: [NSLocalizedDescriptionKey: "It broke.", "URL": "https://h/?secret=hunter2"])

        let error = APIError(.transport, request: try .make(), underlying: cause)

        #expect(error.description == "GET https://api.example.com/v1/dogs failed: It broke.")
    }

    @Test(
        arguments: [
            (POSIXError(.ENOENT), "No such file or directory"),
            (
                CocoaError(
                    .fileWriteOutOfSpace,
                    userInfo: [
                        NSFilePathErrorKey: "/a", NSUnderlyingErrorKey: POSIXError(.ENOSPC),
                    ]), "No space left on device"
            ),
            (
                NSError(
                    domain: NSCocoaErrorDomain, code: 257,
                    userInfo: [NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: 13)]),
                "Permission denied"
            ),
            (CocoaError(.fileReadTooLarge, userInfo: [NSLocalizedDescriptionKey: "No."]), "No"),
        ] as [(any Error & Sendable, String)])
    func fileErrorIsDescribedInWordsOfSystem(cause: any Error & Sendable, words: String) {
        let error = APIError(.file(URL(filePath: "/a")), underlying: cause)

        #expect(
            error.description
                == "The request failed: the file /a cannot be read or written: \(words).")
    }

    @Test(arguments: [Int.max, .min, Int(Int32.max) + 1])
    func systemErrorOfAnyCodeHasADescription(code: Int) {
        let cause = NSError(domain: NSPOSIXErrorDomain, code: code)

        #expect(APIError(.transport, underlying: cause).description.hasPrefix("The request failed"))
    }

    @Test func otherErrorDescribesItself() throws {
        let error = APIError(.transport, request: try .make(), underlying: Refusal())

        #expect(
            error.description == """
                GET https://api.example.com/v1/dogs failed: Refusal(reason: "no").
                """)
    }

    @Test func overloadOfAnInterceptorGivesItsReason() throws {
        let error = APIError(.overloaded, request: try .make(), underlying: Refusal())

        #expect(
            error.description == """
                GET https://api.example.com/v1/dogs was not sent: Refusal(reason: "no").
                """)
    }

    @Test func descriptionEndsWithOnePeriod() {
        struct Sentence: Error, CustomStringConvertible {
            let description = "The cable was cut."
        }

        let error = APIError(.transport, underlying: Sentence())

        #expect(error.description == "The request failed: The cable was cut.")
    }

    @Test func causeOfAnotherTypeHidesSecretsOfItsURLs() throws {
        struct Failure: Error {
            let url: URL
        }
        let cause = Failure(url: try .make("https://h.example/?secret=S3CRET"))

        let text = APIError(.transport, underlying: cause).description

        #expect(!text.contains("S3CRET"))
        #expect(text.contains("https://h.example/?secret=***"))
    }

    @Test func statusIsThatOfResponse() throws {
        #expect(APIError(.status(404), response: try .make(404)).statusCode == 404)
        #expect(APIError(.decoding, response: try .make(201)).statusCode == 201)
        #expect(APIError(.transport).statusCode == nil)
    }

    /// The clock of the device is wrong.
    @Test func retryDelayCountsFromTheDateOfTheResponse() throws {
        let headers = [
            "Date": "Wed, 01 Jul 2020 10:00:00 GMT",
            "Retry-After": "Wed, 01 Jul 2020 10:02:00 GMT",
        ]
        let error = APIError(.status(503), response: try .make(503, headers: headers))

        #expect(error.retryDelay == .seconds(120))
        #expect(APIError(.status(503), response: try .make(503)).retryDelay == nil)
        #expect(APIError(.transport).retryDelay == nil)
    }

    @Test func bodyIsDecoded() throws {
        let error = APIError(.status(422), body: Data(#"{"id":7,"name":"Rex"}"#.utf8))

        #expect(try error.decodeBody(Dog.self) == Dog(id: 7, name: "Rex"))
    }

    @Test func bodyIsDecodedByGivenDecoder() throws {
        let error = APIError(.status(422), body: try PropertyListEncoder().encode(Dog(id: 7)))

        #expect(try error.decodeBody(Dog.self, decoder: PropertyListDecoder()) == Dog(id: 7))
    }

    @Test(arguments: [nil, Data(), Data("{}".utf8)])
    func undecodableBodyThrowsDecodingError(body: Data?) {
        #expect(throws: DecodingError.self) {
            try APIError(.status(422), body: body).decodeBody(Dog.self)
        }
    }
}
