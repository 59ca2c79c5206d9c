#if os(macOS) || os(Linux)
import APIKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct TLSTests {
    /// The ways to send a request.
    enum Way: CaseIterable {
        case load, stream, upload, download

        /// More than one TLS record.
        static let content = String(repeating: "0123456789abcdefghijklm", count: 10_000)

        /// Sends a request, and returns the body of the response.
        func send(
            to url: URL,
            timeout: TimeInterval = 60,
            by transport: any HTTPTransport = TransportUnderTest.makeTrusting(),
            interceptors: [any APIInterceptor] = []
        ) async throws -> String {
            let client = APIClient(transport: transport, interceptors: interceptors)
            var request = URLRequest(url: url)
            request.timeoutInterval = timeout
            switch self {
            case .load: return try await client.load(TextRequest(), with: request)
            case .stream:
                let stream = try await client.stream(TextRequest(), with: request).value
                return String(decoding: try await stream.data(), as: UTF8.self)
            case .upload:
                request.httpMethod = "POST"
                let body = HTTPBody.data(Data(Self.content.utf8), contentType: "text/plain")
                return try await client.upload(TextRequest(), with: request, from: body)
            case .download:
                let directory = try TemporaryDirectory()
                try await client.download(
                    TextRequest(), with: request, to: directory.url("file"))
                return try #require(directory.text("file"))
            }
        }

        /// Whether a server received the request unchanged.
        func matches(_ request: ReceivedRequest?) -> Bool {
            self == .upload
                ? request?.method == "POST" && request?.text == Self.content
                : request?.method == "GET"
        }
    }

    @Test(arguments: Way.allCases)
    func requestAndResponseAreSentOverTLS(way: Way) async throws {
        try await LocalServer.run(respond: { _ in .text(Way.content) }) { plain in
            try await TLSServer.run(before: plain.baseURL) { url in
                let text = try await way.send(to: url)

                #expect(text == Way.content)
            }
            #expect(way.matches(await plain.requests.first))
            #expect(await plain.requests.count == 1)
        }
    }

    @Test(arguments: Way.allCases)
    func redirectToTLSIsFollowed(way: Way) async throws {
        try await redirect { plain, secure in
            for start in [plain.baseURL, secure] {
                let text = try await way.send(to: start.to(secure))

                #expect(text == Way.content)
                #expect(way.matches(await plain.requests.last))
            }
            #expect(await plain.requests.map(\.path) == ["/start", "/end", "/start", "/end"])
        }
    }

    @Test(arguments: Way.allCases)
    func redirectThatLeavesTLSIsTheResponse(way: Way) async throws {
        try await redirect { plain, secure in
            let error = await #expect(throws: APIError.self) {
                try await way.send(to: secure.to(plain.baseURL))
            }

            #expect(error?.kind == .status(308))
            #expect(await plain.requests.map(\.path) == ["/start"])
        }
    }

    /// Runs a server with and without TLS, which redirects `/start`.
    private func redirect(
        while body: (_ plain: LocalServer, _ secure: URL) async throws -> Void
    ) async throws {
        try await LocalServer.run(respond: { request in
            let query = URLComponents(string: request.target)?.queryItems?.first
            return query?.value.map { .redirect(308, to: $0) } ?? .text(Way.content)
        }) { plain in
            try await TLSServer.run(before: plain.baseURL) { try await body(plain, $0) }
        }
    }

    @Test(arguments: Way.allCases)
    func cancellationEndsAnUnfinishedHandshake(way: Way) async throws {
        let (arrival, isArriving) = AsyncStream.makeStream(of: Never.self)
        let (closing, isClosed) = AsyncStream.makeStream(of: Never.self)
        try await LoopbackServer.run(serve: { connection in
            defer { isClosed.finish() }
            _ = try connection.bytes()
            isArriving.finish()
            connection.skipToEnd()
        }) { server in
            let url = try server.secureURL
            let load = Task { try await way.send(to: url) }
            for await _ in arrival {}

            load.cancel()

            await #expect(throws: CancellationError.self) { try await load.value }
            if TransportUnderTest.closesCanceledHandshakes { for await _ in closing {} }
        }
    }
}

extension URL {
    /// The URL of a redirect to another server.
    fileprivate func to(_ server: URL) -> URL {
        let location = server.appending(path: "end").absoluteString
        return appending(path: "start")
            .appending(queryItems: [URLQueryItem(name: "location", value: location)])
    }
}

extension URL {
    /// The URL for a request over TLS to a server with this URL, which has no TLS.
    var secureURL: URL {
        get throws {
            guard let url = URL(string: "https://127.0.0.1:\(port ?? 0)/dogs") else {
                throw URLError(.badURL)
            }
            return url
        }
    }
}
#endif

#if os(macOS) || os(Linux)
import APIKit
import Foundation
import Testing

extension TLSTests {
    #if canImport(FoundationNetworking)
    // On Apple platforms the system chooses the error codes.

    /// The reasons why a server is not secure.
    enum Fault: CaseIterable {
        case otherHost, expired, notYetValid, unknownRoot, selfSigned, noTLS, closing

        private var certificate: TLSServer.Certificate? {
            switch self {
            case .otherHost: .otherHost
            case .expired: .expired
            case .notYetValid: .notYetValid
            case .unknownRoot: .unknownRoot
            case .selfSigned: .selfSigned
            case .noTLS, .closing: nil
            }
        }

        var code: URLError.Code {
            switch self {
            case .noTLS, .closing: .secureConnectionFailed
            case _ where !TransportUnderTest.explainsCertificates: .serverCertificateUntrusted
            case .expired: .serverCertificateHasBadDate
            case .notYetValid: .serverCertificateNotYetValid
            case .unknownRoot: .serverCertificateHasUnknownRoot
            case .otherHost, .selfSigned: .serverCertificateUntrusted
            }
        }

        /// A part of libcurl's message.
        var reason: String {
            switch self {
            case .otherHost: "'127.0.0.1'"
            case .expired: "certificate has expired"
            case .notYetValid: "certificate is not yet valid"
            case .unknownRoot: "unable to get local issuer certificate"
            case .selfSigned: "self-signed certificate"
            case .noTLS: "wrong version number"
            case .closing: "connect"
            }
        }

        /// Runs a closure with the URL of a server that is not secure for this reason.
        func run(while body: (URL) async throws -> Void) async throws {
            guard let certificate else {
                return try await LoopbackServer.run(serve: { connection in
                    _ = try connection.bytes()
                    guard self == .noTLS else { return }
                    connection.write(.response(400, "no"))
                    connection.skipToEnd()
                }) { try await body($0.secureURL) }
            }
            try await LocalServer.run(respond: { _ in .text("woof") }) { plain in
                try await TLSServer.run(with: certificate, before: plain.baseURL, while: body)
                #expect(await plain.requests.isEmpty)
            }
        }
    }

    @Test(arguments: Fault.allCases)
    func serverThatIsNotSecureHasItsOwnError(fault: Fault) async throws {
        try await fault.run { url in
            for way in Way.allCases {
                let attempts = AttemptCounter()
                let error = await #expect(throws: APIError.self) {
                    try await way.send(
                        to: url.appending(path: "s3cr3t"),
                        interceptors: [Retry(maxAttempts: 2, baseDelay: .zero), attempts])
                }

                let cause = error?.underlying as? URLError
                #expect(error?.kind == .transport, "\(way)")
                #expect(cause?.code == fault.code, "\(way)")
                #expect(cause?.localizedDescription.contains("s3cr3t") == false)
                #expect(
                    !TransportUnderTest.explainsCertificates
                        || error?.description.contains(fault.reason) == true, "\(way)")
                // The next handshake may succeed, but not with the same certificate.
                #expect(attempts.count == (fault.code == .secureConnectionFailed ? 2 : 1))
            }
        }
    }
    #endif

    @Test(arguments: ExchangeTests.Breakage.allCases.filter { $0 != .refused })
    func brokenResponseOverTLSHasTheErrorOfAPlainOne(
        breakage: ExchangeTests.Breakage
    ) async throws {
        try await breakage.run(with: TransportUnderTest.makeTrusting()) { transport, request in
            let plain = try #require(request.url)
            try await TLSServer.run(before: plain) { url in
                let error = await #expect(throws: APIError.self) {
                    try await Way.load.send(
                        to: url, timeout: request.timeoutInterval, by: transport)
                }

                #expect((error?.underlying as? URLError)?.code == breakage.code)
            }
        }
    }

    @Test(arguments: Way.allCases)
    func unfinishedHandshakeTimesOut(way: Way) async throws {
        try await LoopbackServer.run(serve: { $0.skipToEnd() }) { server in
            let url = try server.secureURL
            let error = await #expect(throws: APIError.self) {
                try await way.send(to: url, timeout: 0.2)
            }

            #expect((error?.underlying as? URLError)?.code == .timedOut)
        }
    }
}

/// Counts the attempts of a call.
private final class AttemptCounter: APIInterceptor {
    private let attempts = Locked(0)

    var count: Int { attempts.withLock { $0 } }

    func intercept<Body: Sendable>(
        _ call: APICall, next: @escaping @Sendable (APICall) async throws -> APIResponse<Body>
    ) async throws -> APIResponse<Body> {
        attempts.withLock { $0 += 1 }
        return try await next(call)
    }
}
#endif
