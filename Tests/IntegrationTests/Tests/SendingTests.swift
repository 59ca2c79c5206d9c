import APIKit
import Foundation
import Testing

@Suite struct SendingTests {
    @Test(arguments: [HTTPMethod.post, .put, .patch, .delete])
    func sendsTheBodyWithItsTypeAndLength(method: HTTPMethod) async throws {
        try await LocalServer.run(answering: { .text($0.text) }) { server in
            let client = APIClient(baseURL: server.baseURL, transport: URLSession.make())
            let request = try URLRequest(method, "dogs", body: .json(["name": "Rex"]))

            let answer = try await client.load(TextRequest(), with: request)

            let received = try #require(await server.requests.first)
            #expect(received.method == method.rawValue)
            #expect(received.header("Content-Type") == "application/json")
            #expect(received.header("Content-Length") == "14")
            #expect(received.text == #"{"name":"Rex"}"#)
            #expect(answer == #"{"name":"Rex"}"#)
        }
    }

    @Test func sendsALargeBodyWhole() async throws {
        let text = String(repeating: "0123456789abcdef", count: 1 << 16)
        try await LocalServer.run(answering: { .text($0.text) }) { server in
            let request = try server.request("/dogs", method: "POST", body: Data(text.utf8))

            let answer = try await URLSession.make().load(request)

            #expect(answer.value == text)
        }
    }

    @Test func sendsTheHeadersOfTheClientAndOfTheRequest() async throws {
        try await LocalServer.run(answering: { _ in .text("") }) { server in
            let client = APIClient(
                baseURL: server.baseURL, headers: ["X-App": "client", "X-Shared": "client"],
                transport: URLSession.make())
            let request = try URLRequest(
                .get, "dogs", headers: ["X-Dog": "Ünal", "x-shared": "request"])

            _ = try await client.load(TextRequest(), with: request)

            let received = try #require(await server.requests.first)
            #expect(received.header("X-App") == "client")
            #expect(received.header("X-Dog") == "Ünal")
            #expect(received.header("X-Shared") == "request")
        }
    }

    /// The reserved characters, one at a time and all together.
    @Test(arguments: [
        ("+", "%2B"), (";", "%3B"), ("&", "%26"), ("=", "%3D"), ("%", "%25"), (" ", "%20"),
        ("é", "%C3%A9"), ("🐕", "%F0%9F%90%95"), ("%20", "%2520"), ("#?/", "%23%3F%2F"),
        ("a+b;c&d=e%f g", "a%2Bb%3Bc%26d%3De%25f%20g"),
    ])
    func sendsAQueryValueInAnEncodingThatNobodyCanMistake(
        value: String, encoded: String
    ) async throws {
        try await LocalServer.run(answering: { _ in .text("") }) { server in
            let client = APIClient(baseURL: server.baseURL, transport: URLSession.make())
            let request = try URLRequest(.get, "search", query: ["q": value, "n": 1])

            _ = try await client.load(TextRequest(), with: request)

            #expect(await server.requests.map(\.target) == ["/search?q=\(encoded)&n=1"])
        }
    }

    @Test(arguments: [
        "/search?q=a+b;c=%20&d=%2B", "/a%2Fb/c?x=%C3%A9", "/search?q", "/search?q=&q=", "/a;b=c/d",
    ])
    func sendsATargetThatIsWrittenOutExactlyAsWritten(target: String) async throws {
        try await LocalServer.run(answering: { _ in .text("") }) { server in
            let client = APIClient(baseURL: server.baseURL, transport: URLSession.make())

            _ = try await client.load(
                TextRequest(), with: URLRequest(.get, APIPath(verbatim: target)))

            #expect(await server.requests.map(\.target) == [target])
        }
    }

    @Test func sendsAFormAsABrowserWould() async throws {
        try await LocalServer.run(answering: { _ in .text("") }) { server in
            let client = APIClient(baseURL: server.baseURL, transport: URLSession.make())
            let request = try URLRequest(.post, "dogs", body: .form(["name": "Rex & Ünal+1 %"]))

            _ = try await client.load(TextRequest(), with: request)

            let received = try #require(await server.requests.first)
            #expect(received.header("Content-Type") == "application/x-www-form-urlencoded")
            #expect(received.text == "name=Rex+%26+%C3%9Cnal%2B1+%25")
        }
    }
}
