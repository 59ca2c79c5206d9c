import APIKit
import APIKitTesting
import Foundation
import Testing

extension ETagCacheStoringTests {
    @Test func authorizedResponseIsStoredIfConfigured() async throws {
        let cache = ETagCache(storesAuthorized: true)

        let isKept = try await isKept(by: cache, headers: ["Authorization": "Bearer a"]) { _ in
            .tagged()
        }

        #expect(isKept)
    }

    @Test(arguments: [["Authorization": "Bearer b"], [:]])
    func authorizedResponseIsNotSharedWithOthers(headers: [String: String]) async throws {
        let (cache, server) = (ETagCache(storesAuthorized: true), MockServer { _ in .tagged() })

        try await load("echo", headers: ["Authorization": "Bearer a"], by: cache, from: server)
        try await load("echo", headers: headers, by: cache, from: server)

        #expect(server.requests.conditions == [false, false])
    }

    @Test(
        arguments: [
            ("Cookie", "user=a", "user=b"), ("cookie", "user=a", nil), ("X-Api-Key", "a", "b"),
            ("X-Session-Token", nil, "b"),
        ] as [(String, String?, String?)])
    func responseIsStoredPerSecretHeader(
        name: String, first: String?, second: String?
    ) async throws {
        let (cache, server) = (ETagCache(), MockServer { _ in .tagged() })

        for value in [first, second, first] {
            let headers = value.map { [name: $0] } ?? [:]
            try await load("echo", headers: headers, by: cache, from: server)
        }

        #expect(server.requests.conditions == [false, false, true])
    }

    @Test func responseIsStoredPerSessionCookie() async throws {
        let server = MockServer { .tagged($0.header("Cookie") ?? "no user") }
        let session = server.session
        let client = APIClient.make(session, ETagCache())
        var texts: [String] = []

        for user in ["ada", "bob", "ada"] {
            try session.setCookie("user", user)
            texts.append(try await client.load(EchoRequest()))
        }

        #expect(texts == ["user=ada", "user=bob", "user=ada"])
        #expect(server.requests.conditions == [false, false, true])
    }

    @Test func responseIsStoredPerAccount() async throws {
        let server = MockServer { _ in .tagged() }
        // Without the token, only the account distinguishes the responses.
        let removing = RequestAdapter { request in
            request.setValue(nil, forHTTPHeaderField: "Authorization")
        }
        let client = APIClient.make(
            server, CallInterceptor.authentication(("1", "ada"), ("2", "bob"), ("3", "ada")),
            removing, ETagCache())

        for _ in 0..<3 { _ = try await client.load(EchoRequest()) }

        #expect(server.requests.conditions == [false, false, true])
    }
}
