#if os(macOS) || os(Linux)
import APIKit
import Foundation
import Testing

/// What a server can do only over HTTP/2.
@Suite(.timeLimit(.minutes(10))) struct HTTP2Tests {
    /// Runs a server that replies once with a field for `http2.py`, and then with "hello".
    private func run(
        _ action: String, while body: (LocalServer, APIClient) async throws -> Void
    ) async throws {
        let isFirst = Locked(true)
        try await LocalServer.run(over: .http2) { _ in
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return isFirst ? .text("", headers: ["X-HTTP2": action]) : .text("hello")
        } while: { server in
            let client = APIClient(
                transport: TransportUnderTest.makeTrusting(),
                interceptors: [Retry(baseDelay: .zero)])
            try await body(server, client)
        }
    }

    @Test(arguments: TLSTests.Way.allCases)
    func requestAndResponseAreSentOverHTTP2(way: TLSTests.Way) async throws {
        try await LocalServer.run(over: .http2) { _ in
            .text(TLSTests.Way.content)
        } while: {
            server in
            let text = try await way.send(to: server.baseURL)

            let received = await server.requests.first
            #expect(text == TLSTests.Way.content)
            #expect(way.matches(received))
            #expect(received?.header("Via") == "2.0 proxy")
        }
    }

    @Test(arguments: ["RST_STREAM 2", "RST_STREAM 7", "RST_STREAM 8", "CLOSE", "REFUSE"])
    func failedStreamIsRepeated(action: String) async throws {
        try await run(action) { server, client in
            let text = try await client.load(TextRequest(), with: server.request("/dogs"))

            #expect(text == "hello")
            #expect(await server.requests.count == 2)
        }
    }

    @Test(arguments: ["RST_STREAM 2", "RST_STREAM 8", "CLOSE", "REFUSE"])
    func failedStreamOfAPostIsALostConnection(action: String) async throws {
        try await run(action) { server, client in
            let error = await #expect(throws: APIError.self) {
                try await client.load(
                    TextRequest(), with: server.request("/dogs", method: "POST"))
            }

            #expect(error?.urlError?.code == .networkConnectionLost)
            #expect(await server.requests.count == 1)
        }
    }

    // By itself, the system would send the request again over another connection.
    #if canImport(FoundationNetworking)
    @Test(arguments: ["RST_STREAM 7", "CLOSE", "REFUSE"])
    func postOverAKeptConnectionIsSentOnce(action: String) async throws {
        try await LocalServer.run(over: .http2) { request in
            .text("hello", headers: request.method == "POST" ? ["X-HTTP2": action] : [:])
        } while: { server in
            let transport = TransportUnderTest.makeTrusting()
            _ = try await transport.load(server.request("/dogs"))
            var request = try server.request("/dogs", method: "POST")
            request.httpBody = Data("Rex".utf8)

            let error = await #expect(throws: APIError.self) { try await transport.load(request) }

            #expect(error?.urlError?.code == .networkConnectionLost)
            #expect(await server.requests.map(\.method) == ["GET", "POST"])
        }
    }
    #endif

    @Test func connectionThatGoesAwayIsReplaced() async throws {
        try await LocalServer.run(over: .http2) { request in
            .text(request.path, headers: ["X-HTTP2": "GOAWAY"])
        } while: { server in
            let transport = TransportUnderTest.makeTrusting()
            for path in ["/one", "/two", "/three"] {
                let response = try await transport.load(server.request(path))

                #expect(response.value == path)
            }
        }
    }

    @Test func interimResponseIsNotTheResponse() async throws {
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"
        try await LoopbackServer.run(
            over: .http2, respond: { _ in .send(interim + .response(200, "hello")) }
        ) { server in
            let (stream, response) = try await TransportUnderTest.makeTrusting().stream(
                server.request("/dogs"))

            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            #expect(try await stream.data() == Data("hello".utf8))
        }
    }

    @Test func canceledRequestResetsOnlyItsStream() async throws {
        let (arrival, isArriving) = AsyncStream.makeStream(of: Never.self)
        let (closing, isClosed) = AsyncStream.makeStream(of: Never.self)
        try await LoopbackServer.run(over: .http2) { connection in
            guard try connection.head().contains("/slow") else {
                connection.write(.response(200, "hello"))
                return
            }
            defer { isClosed.finish() }
            isArriving.finish()
            connection.skipToEnd()
        } while: { server in
            let transport = TransportUnderTest.makeTrusting()
            let slow = try server.request("/slow")
            let load = Task { try await transport.load(slow) }
            for await _ in arrival {}

            load.cancel()

            await #expect(throws: CancellationError.self) { try await load.value }
            // libcurl resets the stream only with the next frame that it sends.
            let response = try await transport.load(server.request("/quick"))
            #expect(response.value == "hello")
            for await _ in closing {}
        }
    }

    @Test(arguments: CancellationRace.Way.allCases)
    func canceledLoadCompletesOnce(way: CancellationRace.Way) async throws {
        try await LoopbackServer.run(
            over: .http2,
            respond: { head in
                head.hasPrefix("GET /redirect ")
                    ? .response(302, "moved", headers: ["Location": "/plain"])
                    : .response(200, "hello")
            }
        ) { server in
            let requests = try ["/plain", "/redirect"].map { try server.request($0) }
            let transport = TransportUnderTest.makeTrusting()

            // The server takes longer for each load than one without TLS.
            await CancellationRace.run(loadsPerLane: CancellationRace.loadsPerLane / 8) {
                try await way.load(requests[$0 % requests.count], by: transport)
            }
        }
    }
}
#endif
