import APIKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct SendingTests {
    @Test(arguments: [HTTPMethod.post, .put, .patch, .delete])
    func bodyIsSentWithItsTypeAndLength(method: HTTPMethod) async throws {
        try await LocalServer.run(respond: { .text($0.text) }) { server in
            let client = APIClient(baseURL: server.baseURL, transport: TransportUnderTest.make())
            let request = try URLRequest(method, "dogs", body: .json(["name": "Rex"]))

            let text = try await client.load(TextRequest(), with: request)

            let received = try #require(await server.requests.first)
            #expect(received.method == method.rawValue)
            #expect(received.header("Content-Type") == "application/json")
            #expect(received.header("Content-Length") == "14")
            #expect(received.text == #"{"name":"Rex"}"#)
            #expect(text == #"{"name":"Rex"}"#)
        }
    }

    @Test func requestHeadersReplaceClientHeaders() async throws {
        try await LocalServer.run(respond: { _ in .text("") }) { server in
            let client = APIClient(
                baseURL: server.baseURL, headers: ["X-App": "client", "X-Shared": "client"],
                transport: TransportUnderTest.make())
            let request = try URLRequest(
                .get, "dogs", headers: ["X-Dog": "Ünal", "x-shared": "request"])

            _ = try await client.load(TextRequest(), with: request)

            let received = try #require(await server.requests.first)
            #expect(received.header("X-App") == "client")
            #expect(received.header("X-Dog") == "Ünal")
            #expect(received.header("X-Shared") == "request")
        }
    }

    @Test(arguments: [
        ("+", "%2B"), (";", "%3B"), ("&", "%26"), ("=", "%3D"), ("%", "%25"), (" ", "%20"),
        ("é", "%C3%A9"), ("🐕", "%F0%9F%90%95"), ("%20", "%2520"), ("#?/", "%23%3F%2F"),
        ("a+b;c&d=e%f g", "a%2Bb%3Bc%26d%3De%25f%20g"),
    ])
    func queryValueIsPercentEncoded(
        value: String, encoded: String
    ) async throws {
        try await LocalServer.run(respond: { _ in .text("") }) { server in
            let client = APIClient(baseURL: server.baseURL, transport: TransportUnderTest.make())
            let request = try URLRequest(.get, "search", query: ["q": value, "n": 1])

            _ = try await client.load(TextRequest(), with: request)

            #expect(await server.requests.map(\.target) == ["/search?q=\(encoded)&n=1"])
        }
    }

    @Test(arguments: [
        "/search?q=a+b;c=%20&d=%2B", "/a%2Fb/c?x=%C3%A9", "/search?q", "/search?q=&q=", "/a;b=c/d",
    ])
    func verbatimPathIsSentUnchanged(target: String) async throws {
        try await LocalServer.run(respond: { _ in .text("") }) { server in
            let client = APIClient(baseURL: server.baseURL, transport: TransportUnderTest.make())

            _ = try await client.load(
                TextRequest(), with: URLRequest(.get, APIPath(verbatim: target)))

            #expect(await server.requests.map(\.target) == [target])
        }
    }

    @Test func headRequestReceivesTheHeadWithoutABody() async throws {
        try await LocalServer.run(respond: { _ in
            .text("", headers: ["Content-Length": "42"])
        }) { server in
            let response = try await TransportUnderTest.make().load(
                server.request("/dogs", method: "HEAD"))

            #expect(await server.requests.map(\.method) == ["HEAD"])
            #expect(response.http.value(forHTTPHeaderField: "Content-Length") == "42")
            #expect(response.value.isEmpty)
        }
    }

    @Test func unknownHostFailsTheLoad() async throws {
        LoopbackSocket.connectDirectly()
        // A DNS label has at most 63 characters (RFC 1035 2.3.4), so this name fails without a lookup.
        let host = String(repeating: "a", count: 64) + ".invalid"
        let request = URLRequest(url: try #require(URL(string: "http://\(host)/dogs")))

        let error = await #expect(throws: APIError.self) {
            try await TransportUnderTest.make().load(request)
        }

        #expect(error?.kind == .transport)
        #expect(error?.urlError?.code == .cannotFindHost)
    }

    @Test func cookieIsNotSentByAnotherSession() async throws {
        try await LocalServer.run(respond: { request in
            .text(request.header("Cookie") ?? "none", headers: ["Set-Cookie": "dog=Rex; Path=/"])
        }) { server in
            _ = try await TransportUnderTest.make().load(server.request("/login"))

            let response = try await TransportUnderTest.make().load(server.request("/dogs"))

            #expect(response.value == "none")
        }
    }
}
