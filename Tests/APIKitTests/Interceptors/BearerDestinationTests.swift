import APIKit
import APIKitTesting
import Foundation
import Testing

/// The URLs that receive a bearer token.
@Suite(.inTurn) struct BearerDestinationTests {
    private let server = MockServer { _ in .text("ok") }

    /// Sends a request to a URL, and returns its `Authorization` header field.
    private func authorization(
        of url: String,
        baseURL: String? = "https://api.example.com/v1",
        _ authentication: BearerAuthentication = BearerAuthentication(StubTokens("a"))
    ) async throws -> String? {
        let client = APIClient.make(
            baseURL: baseURL.flatMap { URL(string: $0) }, transport: server,
            interceptors: [authentication])
        _ = try await client.load(EchoRequest { URLRequest(url: try .make(url)) })
        return server.requests.last?.header("Authorization")
    }

    @Test(arguments: [
        ("https://api.example.com/v1/dogs", true), ("https://api.example.com/other", true),
        ("HTTPS://API.example.com:443/v1", true), ("https://api.example.com:8443/v1", false),
        ("https://example.com/v1", false), ("https://api.example.com.evil.org/v1", false),
        ("http://api.example.com/v1", false), ("https://api.example.com@evil.org/", false),
        ("http://localhost/v1", false),
    ])
    func tokenGoesOnlyToTheOriginOfTheBaseURL(url: String, isSent: Bool) async throws {
        #expect(try await authorization(of: url) == (isSent ? "Bearer a" : nil))
    }

    @Test(arguments: ["/dogs", "https://bücher.example/dogs", "https://xn--bcher-kva.example/dogs"])
    func tokenGoesToAnInternationalizedHost(url: String) async throws {
        for origin in ["https://bücher.example", "https://xn--bcher-kva.example"] {
            #expect(try await authorization(of: url, baseURL: origin) == "Bearer a")
        }
    }

    @Test(arguments: [
        ("bücher.example", "bücher.example"), ("BÜCHER.example", "xn--bcher-kva.example"),
        ("XN--BCHER-KVA.example", "bücher.example"), ("[FE80::2]", "[fe80::2]"),
        ("fe80::2", "[FE80::2]"),
    ])
    func namedHostIsComparedInASCII(name: String, host: String) async throws {
        let named = BearerAuthentication(StubTokens("a"), hosts: [name])

        #expect(try await authorization(of: "https://\(host)/", named) == "Bearer a")
        #expect(
            try await authorization(of: "http://\(host)/", named.allowingPlainHTTP(to: [name]))
                == "Bearer a")
        #expect(try await authorization(of: "https://other.example/", named) == nil)
    }

    @Test(arguments: [
        "http://api.example.com", "http://127.example.com", "http://127.0.0.1.example.com",
        "http://127.0.0.256", "http://127.0.0", "http://10.0.0.1", "http://localhost.example.com",
        "http://[::2]", "http://[2001:db8::1]",
    ])
    func tokenIsRefusedOverPlainHTTP(origin: String) async throws {
        let host = try #require(try URL.make(origin).host)

        for authentication in [
            BearerAuthentication(StubTokens("a")),
            BearerAuthentication(StubTokens("a"), hosts: [host]),
        ] {
            let error = await #expect(throws: APIError.self) {
                try await authorization(of: "\(origin)/dogs", baseURL: origin, authentication)
            }
            #expect(
                error?.description == """
                    GET \(origin)/dogs cannot be sent: a bearer token may go over http only to a \
                    loopback address; \(host) needs https, or \
                    BearerAuthentication.allowingPlainHTTP(to:).
                    """)
        }
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [
        "http://127.0.0.1:8080", "http://127.255.255.254", "http://localhost:8080",
        "http://LOCALHOST", "http://[::1]:8080",
    ])
    func tokenGoesOverPlainHTTPToALoopbackAddress(origin: String) async throws {
        #expect(try await authorization(of: "\(origin)/dogs", baseURL: origin) == "Bearer a")
    }

    @Test(arguments: [
        ("http://dogs.local:8080", true), ("http://DOGS.local", true), ("http://[fd00::1]", true),
        ("http://other.local", false), ("http://www.dogs.local", false),
    ])
    func tokenGoesOverPlainHTTPToANamedHost(origin: String, isSent: Bool) async throws {
        let allowing = BearerAuthentication(StubTokens("a"))
            .allowingPlainHTTP(to: ["Dogs.local"]).allowingPlainHTTP(to: ["fd00::1"])

        let sent = try? await authorization(of: "\(origin)/dogs", baseURL: origin, allowing)

        #expect(sent == (isSent ? "Bearer a" : nil))
    }

    @Test func hostOfPlainHTTPIsNoFurtherDestination() async throws {
        let allowing = BearerAuthentication(StubTokens("a")).allowingPlainHTTP(to: ["dogs.local"])

        #expect(try await authorization(of: "http://dogs.local/dogs", allowing) == nil)
        #expect(server.requests.count == 1)
    }

    @Test func callWithoutATokenGoesOverPlainHTTP() async throws {
        let signedOut = BearerAuthentication(StubTokens(nil))

        #expect(
            try await authorization(
                of: "http://api.example.com/dogs", baseURL: "http://api.example.com", signedOut)
                == nil)
    }

    @Test func tokenWithoutABaseURLIsRefused() async throws {
        let error = await #expect(throws: APIError.self) {
            try await authorization(of: "https://api.example.com/dogs", baseURL: nil)
        }

        #expect(
            error?.description == """
                GET https://api.example.com/dogs cannot be sent: its token may go only to the \
                base URL of the client, which has none; set one, or name hosts with \
                BearerAuthentication(_:hosts:).
                """)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: [
        ("https://api.example.com/x", true), ("https://API.EXAMPLE.com:8443/x", true),
        ("https://example.com/x", false), ("https://api.example.com.evil.org/x", false),
        ("https://evil.org/?api.example.com", false), ("https://api.example.com@evil.org/", false),
    ])
    func onlyNamedHostGetsTheTokenWithoutABaseURL(url: String, isSent: Bool) async throws {
        let named = BearerAuthentication(token: "a", hosts: ["Api.example.com"])

        let sent = try await authorization(of: url, baseURL: nil, named)

        #expect(sent == (isSent ? "Bearer a" : nil))
    }
}
