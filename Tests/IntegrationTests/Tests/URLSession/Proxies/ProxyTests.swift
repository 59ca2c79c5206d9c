import APIKit
import APIKitTesting
import Foundation
import Testing

#if canImport(FoundationNetworking) && compiler(>=6.2)

/// Requests to a server over TLS through a proxy.
///
/// On Linux the system reads the address of the proxy from the environment, so each test runs in a
/// separate process.
@Suite(.timeLimit(.minutes(10))) struct ProxyTests {
    @Test func responseIsThatOfTheServer() async {
        await #expect(processExitsWith: .success) {
            try await run(respond: { _ in
                .response(413, "too large", headers: ["X-Dog": "Rex"])
            }) { url in
                let session = URLSession.make()
                let request = URLRequest(url: url)
                // The second request uses the tunnel of the first one.
                for _ in 0..<2 {
                    let (stream, head) = try await session.stream(request)
                    try expectRefusal(await stream.data(), head)
                }
                for _ in 0..<2 {
                    let (data, head) = try await URLSession.make().send(request)
                    try expectRefusal(data, head)
                }
                var upload = request
                upload.httpMethod = "POST"
                let (data, head) = try await URLSession.make().upload(
                    upload, from: .data(Data("Rex".utf8))
                ) { _ in }
                try expectRefusal(data, head)
            }
        }
    }

    @Test func responseThroughAMockIsThatOfTheServer() async {
        await #expect(processExitsWith: .success) {
            try await run(respond: { _ in
                .response(413, "too large", headers: ["X-Dog": "Rex"])
            }) { url in
                let folder = try TemporaryDirectory()
                let path = folder.url("Tests.swift").path
                let passthrough = MockServer(unhandled: .reply(.passthrough))
                let (recorder, player) = (MockServer(), MockServer())
                recorder.replay(
                    Cassette("proxy", mode: .all, redacting: .nothing, filePath: path))
                for mock in [passthrough, recorder] {
                    let (data, head) = try await mock.session.send(URLRequest(url: url))
                    try expectRefusal(data, head)
                    mock.verify()
                }
                player.replay(Cassette("proxy", mode: .none, redacting: .nothing, filePath: path))
                let (data, head) = try await player.session.send(URLRequest(url: url))
                try expectRefusal(data, head)
            }
        }
    }

    /// A delegate receives no head of such a response, so the last head is from the proxy.
    @Test func redirectWithoutALocationIsTheResponse() async {
        await #expect(processExitsWith: .success) {
            try await run(respond: { _ in .response(308, "resume", headers: ["X-Dog": "Rex"]) }) {
                url in
                for way in TLSTests.Way.allCases {
                    let error = await #expect(throws: APIError.self, "\(way)") {
                        try await way.send(to: url, by: URLSession.make())
                    }
                    #expect(error?.kind == .status(308), "\(way)")
                    #expect(error?.body == Data("resume".utf8), "\(way)")
                }
            }
        }
    }

    @Test func refusedDownloadKeepsTheFile() async {
        await #expect(processExitsWith: .success) {
            try await run(respond: { _ in .response(404, "no dog") }) { url in
                let directory = try TemporaryDirectory()
                let file = try directory.file("dog", Data("Rex".utf8))

                let error = await #expect(throws: APIError.self) {
                    try await APIClient(transport: URLSession.make()).download(
                        TextRequest(), with: URLRequest(url: url), to: file)
                }

                #expect(error?.kind == .status(404))
                #expect(directory.text("dog") == "Rex")
            }
        }
    }

    @Test func resumedDownloadIsComplete() async {
        await #expect(processExitsWith: .success) {
            try await run(respond: { request in
                request.lowercased().contains("range: bytes=5-")
                    ? .response(
                        206, " Rex!", headers: ["ETag": "\"1\"", "Content-Range": "bytes 5-9/10"])
                    : .close(
                        after: "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 10\r\n\r\nhello")
            }) { url in
                let directory = try TemporaryDirectory()
                let client = APIClient(
                    transport: URLSession.make(), interceptors: [Retry(baseDelay: .zero)])

                try await client.download(
                    TextRequest(), with: URLRequest(url: url), to: directory.url("file"))

                #expect(directory.text("file") == "hello Rex!")
            }
        }
    }

    @Test func eventSourceReceivesItsEvents() async {
        await #expect(processExitsWith: .success) {
            try await run(respond: { _ in
                .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: Rex\n\n")
            }) { url in
                let client = APIClient(transport: URLSession.make())

                var event: ServerSentEvent?
                for try await next in client.reconnectingEvents(
                    of: TextRequest(), with: URLRequest(url: url))
                {
                    event = next
                    break
                }

                #expect(event?.data == "Rex")
            }
        }
    }

    @Test func cookieOfTheProxyIsNotStored() async {
        await #expect(processExitsWith: .success) {
            try await run(respond: { _ in .response(200, "hello") }) { url in
                let session = URLSession.make()

                _ = try await session.load(URLRequest(url: url))

                #expect(session.configuration.httpCookieStorage?.cookies == [])
            }
        }
    }

    @Test func refusalOfTheProxyIsAnErrorThatNamesTheProxy() async {
        await #expect(processExitsWith: .success) {
            for status in [307, 401, 403, 407, 502] {
                try await run(.refuses(status), respond: { _ in .response(200, "hello") }) { url in
                    for way in TLSTests.Way.allCases {
                        let error = await #expect(throws: APIError.self, "\(status) \(way)") {
                            try await way.send(to: url, by: URLSession.make())
                        }

                        #expect(error?.kind == .transport, "\(status) \(way)")
                        #expect(error?.urlError?.code == .cannotConnectToHost, "\(status) \(way)")
                        let text = try #require(error?.description)
                        #expect(text.contains(/the proxy 127.0.0.1:\d+ refused the connection: .*/))
                        #expect(text.contains("\(status)"))
                    }
                }
            }
        }
    }
}

/// Runs a server over TLS with each version of HTTP, and a proxy that this process uses from now on.
private func run(
    _ proxy: ConnectProxy = .tunnels,
    respond: @escaping @Sendable (_ head: String) -> LoopbackServer.Reply,
    while body: (URL) async throws -> Void
) async throws {
    try await LoopbackServer.run(respond: respond) { server in
        try await proxy.run { proxy in
            unsetenv("no_proxy")
            setenv("https_proxy", proxy.absoluteString, 1)
            for version in HTTPVersion.allCases {
                try await TLSServer.run(over: version, before: [server]) {
                    try await body(#require($0.first))
                }
            }
        }
    }
}

/// Expects the response of the server, not that of the proxy.
private func expectRefusal(_ data: Data, _ response: URLResponse) throws {
    let head = try #require(response as? HTTPURLResponse)
    #expect(head.statusCode == 413)
    #expect(head.value(forHTTPHeaderField: "X-Dog") == "Rex")
    #expect(head.value(forHTTPHeaderField: "X-From-Proxy") == nil)
    #expect(data == Data("too large".utf8))
}

#endif
