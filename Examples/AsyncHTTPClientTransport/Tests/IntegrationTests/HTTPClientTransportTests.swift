import APIKit
import APIKitTesting
import AsyncHTTPClient
import AsyncHTTPClientTransport
import Foundation
import Testing

/// The properties of the transport that the shared suites do not test.
@Suite(.mockServer, .timeLimit(.minutes(10))) struct HTTPClientTransportTests {
    let server = MockServer.current

    /// The URLs that end the process in AsyncHTTPClient.
    static let invalidURLs = [
        "http://%5B/", "http://[]/", "http:///dogs", "http://127.0.0.1:70000/",
        "http://dogs.invalid:70000/",
    ]

    @Test(arguments: invalidURLs)
    func invalidURLIsRefused(text: String) async throws {
        let url = try #require(URL(string: text))

        let error = await #expect(throws: URLError.self) {
            try await HTTPClientTransport().send(URLRequest(url: url))
        }

        #expect(error?.code == .badURL)
        #expect(error?.failingURL == url)
    }

    @Test(arguments: invalidURLs)
    func redirectToAnInvalidURLIsReturned(location: String) async throws {
        server.on(.get("/start"), reply: .redirect(to: location))
        try await server.listening { url in
            let (_, response) = try await HTTPClientTransport().send(url.request("/start"))

            #expect((response as? HTTPURLResponse)?.statusCode == 302)
        }
    }

    @Test func unsupportedSchemeIsRefused() async throws {
        let url = try #require(URL(string: "ftp://127.0.0.1/dogs"))

        let error = await #expect(throws: URLError.self) {
            try await HTTPClientTransport().send(URLRequest(url: url))
        }

        #expect(error?.code == .unsupportedURL)
    }

    @Test func inputStreamIsSent() async throws {
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 % 251) })
        server.on(.post("/photos"), times: 3)
        try await server.listening { url in
            for (length, sent) in [
                (nil, nil), ("\(body.count)", "\(body.count)"), ("-5", nil),
            ] {
                var request = url.upload(of: InputStream(data: body))
                request.setValue(length, forHTTPHeaderField: "Content-Length")

                _ = try await HTTPClientTransport().send(request)

                let received = try #require(server.requests.last)
                #expect(received.body == body)
                #expect(received.header("Content-Length") == sent)
            }
        }
    }

    @Test func userAndPasswordOfTheURLAreSent() async throws {
        server.on(.get("/dogs"))
        try await server.listening { url in
            var parts = try #require(URLComponents(url: url, resolvingAgainstBaseURL: true))
            (parts.user, parts.password) = ("rex", "b:ne")
            var request = try #require(parts.url).request("/dogs")

            _ = try await HTTPClientTransport().send(request)
            request.setValue("Bearer x", forHTTPHeaderField: "Authorization")
            _ = try await HTTPClientTransport().send(request)

            let fields = server.requests.map { $0.header("Authorization") }
            #expect(fields == ["Basic cmV4OmI6bmU=", "Bearer x"])
        }
    }

    /// Sets a cookie, and responds with the cookies of each request.
    private func setCookies() {
        server.on(.get("/dogs")) { request in
            .text(request.header("Cookie") ?? "none").header("Set-Cookie", "dog=Rex; Path=/")
        }
    }

    @Test func cookiesNeedAStorage() async throws {
        setCookies()
        try await server.listening { url in
            let storage = URLSessionConfiguration.ephemeral.httpCookieStorage
            let request = try url.request("/dogs")
            for (transport, text) in [
                (HTTPClientTransport(), "none"), (HTTPClientTransport(cookies: storage), "dog=Rex"),
            ] {
                _ = try await transport.load(request)
                #expect(try await transport.load(request).value == text)
            }
        }
    }

    @Test func refusedCookiesAreNeitherStoredNorSent() async throws {
        setCookies()
        try await server.listening { url in
            let storage = URLSessionConfiguration.ephemeral.httpCookieStorage
            let transport = HTTPClientTransport(cookies: storage)
            var request = try url.request("/dogs")
            request.httpShouldHandleCookies = false

            _ = try await transport.load(request)

            #expect(try await transport.load(request).value == "none")
            #expect(storage?.cookies(for: url) == [])
        }
    }

    @Test func streamOutlivesTheTransport() async throws {
        let size = 4
        try await LoopbackServer.run(respond: { _ in .flood(megabytes: size) }) { server in
            let (stream, _) = try await HTTPClientTransport().stream(server.request("/large"))

            #expect(try await stream.data().count == size << 20)
        }
    }

    @Test func connectionIsUsedAgain() async throws {
        let count = Locked(0)
        try await LoopbackServer.run(serve: { connection in
            count.withLock { $0 += 1 }
            while true {
                _ = try connection.head()
                connection.write(.response(200, "done"))
            }
        }) { server in
            let transport = HTTPClientTransport()
            for _ in 0..<5 { _ = try await transport.send(server.request("/dogs")) }
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test func inputStreamThatFailsEndsTheRequest() async throws {
        let missing = try TemporaryDirectory().url("missing")
        try await server.listening { url in
            let request = url.upload(of: InputStream(fileAtPath: missing.path))

            let error = await #expect(throws: APIError.self) {
                try await HTTPClientTransport().send(request)
            }

            #expect(error?.kind == .invalidRequest("its body stream cannot be read"))
        }
    }

    @Test(arguments: 0..<3) func slowServerReceivesTheWholeInputStream(round: Int) async throws {
        let size = 64 << 20
        try await LoopbackServer.run(serve: { connection in
            let head = try connection.head()
            #expect(head.contains("Content-Length: \(size)"))
            for _ in 0..<20 {
                try connection.skip(1 << 20)
                // Fills the buffers of the connection.
                usleep(20_000)
            }
            try connection.skip(size - (20 << 20))
            connection.write(.response(200, "done"))
        }) { server in
            var request = try server.request("/photos", method: "POST")
            request.httpBodyStream = InputStream(data: Data(count: size))
            request.setValue("\(size)", forHTTPHeaderField: "Content-Length")

            let response = try await HTTPClientTransport().load(request)

            #expect(response.value == "done")
        }
    }

    @Test func blockedInputStreamsLeaveRoomForOthers() async throws {
        let directory = try TemporaryDirectory()
        // A pipe blocks its reader until a writer opens it.
        let pipes = (0..<8).map { directory.url("pipe\($0)").path }
        for pipe in pipes { try #require(mkfifo(pipe, 0o600) == 0) }
        defer { for pipe in pipes { close(open(pipe, O_WRONLY | O_NONBLOCK)) } }
        server.on(.post("/photos"), reply: .text("done"))
        try await server.listening { url in
            for pipe in pipes {
                let request = url.upload(of: InputStream(fileAtPath: pipe), timeout: 0.1)

                let error = await #expect(throws: URLError.self) {
                    try await HTTPClientTransport().send(request)
                }

                #expect(error?.code == .timedOut)
                #expect(error?.userInfo[NSUnderlyingErrorKey] == nil)
            }
            let request = url.upload(of: InputStream(data: Data("Rex".utf8)))

            let response = try await HTTPClientTransport().load(request)

            #expect(response.value == "done")
        }
    }

    @Test(arguments: ["", "GE T", "GET / HTTP/1.1\r\nX-A: b\r\n\r\nGET"])
    func invalidMethodIsRefused(method: String) async throws {
        try await server.listening { url in
            let request = try url.request("/dogs", method: method)

            let error = await #expect(throws: APIError.self) {
                try await HTTPClientTransport().send(request)
            }

            #expect(error?.kind == .invalidRequest("its method is invalid"))
            #expect(server.requests.isEmpty)
        }
    }

    @Test func invalidFieldIsNotInTheError() async throws {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1/")))
        request.setValue("s3cr3t\r\nX-A: b", forHTTPHeaderField: "Authorization")

        let error = await #expect(throws: URLError.self) {
            try await HTTPClientTransport().send(request)
        }

        #expect(error.map { "\($0) \($0.localizedDescription)" }?.contains("s3cr3t") == false)
    }
}

extension URL {
    /// Returns a request with a body stream.
    fileprivate func upload(of stream: InputStream?, timeout: TimeInterval = 60) -> URLRequest {
        var request = URLRequest(url: appending(path: "photos"))
        request.httpMethod = "POST"
        request.httpBodyStream = stream
        request.timeoutInterval = timeout
        return request
    }
}
