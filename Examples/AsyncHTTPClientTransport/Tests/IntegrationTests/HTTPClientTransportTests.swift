import APIKit
import AsyncHTTPClient
import AsyncHTTPClientTransport
import Foundation
import Testing

/// The properties of the transport that the shared suites do not test.
@Suite(.timeLimit(.minutes(10))) struct HTTPClientTransportTests {
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
        try await LocalServer.run(respond: { _ in .redirect(to: location) }) { server in
            let (_, response) = try await HTTPClientTransport().send(server.request("/start"))

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
        try await LocalServer.run(respond: { _ in .text("done") }) { server in
            for (length, sent) in [
                (nil, nil), ("\(body.count)", "\(body.count)"), ("-5", nil),
            ] {
                var request = try server.request("/photos", method: "POST")
                request.httpBodyStream = InputStream(data: body)
                request.setValue(length, forHTTPHeaderField: "Content-Length")

                _ = try await HTTPClientTransport().send(request)

                let received = try #require(await server.requests.last)
                #expect(received.body == body)
                #expect(received.header("Content-Length") == sent)
            }
        }
    }

    @Test func userAndPasswordOfTheURLAreSent() async throws {
        try await LocalServer.run(respond: { _ in .text("") }) { server in
            var parts = try #require(
                URLComponents(url: server.url("/dogs"), resolvingAgainstBaseURL: true))
            (parts.user, parts.password) = ("rex", "b:ne")
            let url = try #require(parts.url)

            _ = try await HTTPClientTransport().send(URLRequest(url: url))
            var request = URLRequest(url: url)
            request.setValue("Bearer x", forHTTPHeaderField: "Authorization")
            _ = try await HTTPClientTransport().send(request)

            let fields = await server.requests.map { $0.header("Authorization") }
            #expect(fields == ["Basic cmV4OmI6bmU=", "Bearer x"])
        }
    }

    @Test func cookiesNeedAStorage() async throws {
        try await LocalServer.run(respond: { request in
            .text(request.header("Cookie") ?? "none", headers: ["Set-Cookie": "dog=Rex; Path=/"])
        }) { server in
            let storage = URLSessionConfiguration.ephemeral.httpCookieStorage
            let request = try server.request("/dogs")
            for (transport, text) in [
                (HTTPClientTransport(), "none"), (HTTPClientTransport(cookies: storage), "dog=Rex"),
            ] {
                _ = try await transport.load(request)
                #expect(try await transport.load(request).value == text)
                #expect(
                    transport.addedFields(for: request) == (text == "none" ? [:] : ["Cookie": text])
                )
            }
        }
    }

    @Test func refusedCookiesAreNeitherStoredNorSent() async throws {
        try await LocalServer.run(respond: { request in
            .text(request.header("Cookie") ?? "none", headers: ["Set-Cookie": "dog=Rex; Path=/"])
        }) { server in
            let storage = URLSessionConfiguration.ephemeral.httpCookieStorage
            let transport = HTTPClientTransport(cookies: storage)
            var request = try server.request("/dogs")
            request.httpShouldHandleCookies = false

            _ = try await transport.load(request)

            #expect(try await transport.load(request).value == "none")
            #expect(storage?.cookies(for: server.baseURL) == [])
        }
    }

    @Test func streamOutlivesTheTransport() async throws {
        let size = 4
        try await RawServer.run(respond: { _ in .flood(megabytes: size) }) { server in
            let (stream, _) = try await HTTPClientTransport().stream(server.request("/large"))

            #expect(try await stream.data().count == size << 20)
        }
    }

    @Test func connectionIsUsedAgain() async throws {
        let count = Locked(0)
        try await RawServer.run(serve: { connection in
            count.withLock { $0 += 1 }
            while true {
                _ = try await connection.head()
                try await connection.send(.response(200, "done"))
            }
        }) { server in
            let transport = HTTPClientTransport()
            for _ in 0..<5 { _ = try await transport.send(server.request("/dogs")) }
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test func clientOfTheProgramKeepsItsConnections() async throws {
        let count = Locked(0)
        let client = HTTPClient()
        try await RawServer.run(serve: { connection in
            count.withLock { $0 += 1 }
            while true {
                _ = try await connection.head()
                try await connection.send(.response(200, "done"))
            }
        }) { server in
            for _ in 0..<3 {
                let transport = HTTPClientTransport(client)
                #expect(try await transport.load(server.request("/dogs")).value == "done")
            }
            try await client.shutdown()
        }
        #expect(count.withLock { $0 } == 1)
    }

    @Test func clientOfTheProgramFollowsRedirectsItself() async throws {
        let client = HTTPClient()
        try await LocalServer.run(respond: { request in
            request.path == "/dogs" ? .text("done") : .redirect(to: "/dogs")
        }) { server in
            let transport = HTTPClientTransport(client)

            let (_, response) = try await transport.send(server.request("/start"))
            let error = await #expect(throws: APIError.self) {
                try await transport.redirecting(.never).send(server.request("/start"))
            }

            #expect(try response.url == server.url("/dogs"))
            #expect(error.map { "\($0)" }?.contains("redirectConfiguration is .disallow") == true)
            try await client.shutdown()
        }
    }

    @Test func endlessRedirectsOfTheClientAreAnError() async throws {
        let client = HTTPClient()
        try await LocalServer.run(respond: { _ in .redirect(to: "/start") }) { server in
            let error = await #expect(throws: URLError.self) {
                try await HTTPClientTransport(client).send(server.request("/start"))
            }

            #expect(error?.code == .httpTooManyRedirects)
            try await client.shutdown()
        }
    }

    @Test func clientWithoutRedirectsUsesThePolicy() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        let client = HTTPClient(configuration: configuration)
        try await LocalServer.run(respond: { request in
            request.path == "/dogs" ? .text("done") : .redirect(to: "/dogs")
        }) { server in
            let transport = HTTPClientTransport(client)
            let request = try server.request("/start")

            #expect(try await transport.load(request).value == "done")
            let (_, response) = try await transport.redirecting(.never).send(request)
            #expect((response as? HTTPURLResponse)?.statusCode == 302)
            try await client.shutdown()
        }
    }

    @Test func clientWithoutDecompressionReturnsTheBodyAsReceived() async throws {
        let client = HTTPClient()
        try await LocalServer.run(respond: { _ in
            .text("not gzip", headers: ["Content-Encoding": "gzip"])
        }) { server in
            let request = try server.request("/dogs")

            #expect(try await HTTPClientTransport(client).load(request).value == "not gzip")
            await #expect(throws: URLError.self) { try await HTTPClientTransport().send(request) }
            try await client.shutdown()
        }
    }

    @Test func inputStreamThatFailsEndsTheRequest() async throws {
        let missing = try TemporaryDirectory().url("missing")
        try await LocalServer.run(respond: { _ in .text("done") }) { server in
            let request = try server.upload(of: InputStream(fileAtPath: missing.path))

            let error = await #expect(throws: APIError.self) {
                try await HTTPClientTransport().send(request)
            }

            #expect(error?.kind == .invalidRequest("its body stream cannot be read"))
        }
    }

    @Test(arguments: 0..<3) func slowServerReceivesTheWholeInputStream(round: Int) async throws {
        let size = 64 << 20
        try await RawServer.run(serve: { connection in
            let head = try await connection.head()
            #expect(head.contains("Content-Length: \(size)"))
            for _ in 0..<20 {
                try await connection.skip(1 << 20)
                // Fills the buffers of the connection.
                try await Task.sleep(for: .milliseconds(20))
            }
            try await connection.skip(size - (20 << 20))
            try await connection.send(.response(200, "done"))
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
        try await LocalServer.run(respond: { _ in .text("done") }) { server in
            for pipe in pipes {
                let request = try server.upload(
                    of: InputStream(fileAtPath: pipe), timeout: 0.1)

                let error = await #expect(throws: URLError.self) {
                    try await HTTPClientTransport().send(request)
                }

                #expect(error?.code == .timedOut)
                #expect(error?.userInfo[NSUnderlyingErrorKey] == nil)
            }
            let request = try server.upload(of: InputStream(data: Data("Rex".utf8)))

            #expect(try await HTTPClientTransport().load(request).value == "done")
        }
    }

    @Test(arguments: ["", "GE T", "GET / HTTP/1.1\r\nX-A: b\r\n\r\nGET"])
    func invalidMethodIsRefused(method: String) async throws {
        try await LocalServer.run(respond: { _ in .text("done") }) { server in
            let request = try server.request("/dogs", method: method)

            let error = await #expect(throws: APIError.self) {
                try await HTTPClientTransport().send(request)
            }

            #expect(error?.kind == .invalidRequest("its method is invalid"))
            #expect(await server.requests.isEmpty)
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

extension LocalServer {
    /// Returns a request with a body stream.
    fileprivate func upload(
        of stream: InputStream?, timeout: TimeInterval = 60
    ) throws -> URLRequest {
        var request = try request("/photos", method: "POST")
        request.httpBodyStream = stream
        request.timeoutInterval = timeout
        return request
    }
}
