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
        try await RawServer.run(serve: { connection in
            defer { isClosed.finish() }
            _ = try await connection.bytes()
            isArriving.finish()
            _ = await connection.skipToEnd()
        }) { server in
            let url = try server.secureURL
            let load = Task { try await way.send(to: url) }
            for await _ in arrival {}

            load.cancel()

            await #expect(throws: CancellationError.self) { try await load.value }
            if TransportUnderTest.closesCancelledHandshakes { for await _ in closing {} }
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

extension RawServer {
    /// The URL for a request over TLS, which this server does not have.
    var secureURL: URL {
        get throws {
            guard let url = URL(string: "https://127.0.0.1:\(baseURL.port ?? 0)/dogs") else {
                throw URLError(.badURL)
            }
            return url
        }
    }
}
#endif
