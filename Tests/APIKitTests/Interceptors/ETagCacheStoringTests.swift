import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn) struct ETagCacheStoringTests {
    /// Loads twice, and returns whether the second request is a revalidation.
    func isKept(
        by cache: ETagCache = ETagCache(),
        headers: [String: String] = [:],
        _ respond: @escaping @Sendable (RecordedRequest) -> MockResponse
    ) async throws -> Bool {
        let server = MockServer(respond: respond)
        for _ in 0..<2 { try await load("echo", headers: headers, by: cache, from: server) }
        let counts = server.requests.map(\.headers.count)
        try #require(counts.count == 2)
        // A revalidation adds header fields. Conditions of the caller are in both requests.
        return counts == counts.sorted() && Set(counts).count == 2
    }

    func load(
        _ path: APIPath, _ method: HTTPMethod = .get, headers: [String: String] = [:],
        by cache: ETagCache, from server: MockServer
    ) async throws {
        var request = try URLRequest(method, path, headers: headers)
        request.url = URL(string: request.url?.absoluteString ?? "", relativeTo: base)?.absoluteURL
        let call = APICall(request: request, apiRequest: EchoRequest())
        _ = try await cache.intercept(call) { call in
            let (data, response) = try await server.send(call.request)
            return APIResponse(value: data, http: try #require(response as? HTTPURLResponse))
        }
    }

    private let base = URL(string: "https://api.example.com")

    @Test(
        arguments: [
            (["ETag": "\"1\""], true), (["ETag": "W/\"1\""], true),
            (["Last-Modified": "Tue, 01 Sep 2026 10:00:00 GMT"], true),
            (["ETag": "\"1\"", "Cache-Control": "private, max-age=0, no-cache"], true),
            (["ETag": "\"1\"", "Cache-Control": "x-no-store, private=\"no-store-not\""], true),
            (["ETag": "\"1\"", "Vary": "Accept-Encoding"], true),
            ([:], false), (["ETag": "\"1\"", "Cache-Control": "no-store"], false),
            (["ETag": "\"1\"", "Cache-Control": "private , No-Store"], false),
            (["ETag": "\"1\"", "Vary": "*"], false), (["ETag": "\"\u{1}\""], false),
            (["ETag": "\"1\"", "Vary": "Accept, *"], false),
            (["ETag": "\"1\"", "Vary": "Accept, X-Request-ID"], false),
        ] as [([String: String], Bool)])
    func fieldsDecideWhetherResponseIsStored(fields: [String: String], isStored: Bool) async throws
    {
        let isKept = try await isKept { _ in
            fields.reduce(.text("a")) { $0.header($1.key, $1.value) }
        }

        #expect(isKept == isStored)
    }

    @Test(arguments: [201, 203, 204, 206, 404, 500])
    func onlyStatus200IsStored(status: Int) async throws {
        let isKept = try await isKept { _ in .text("a", status: status).header("ETag", "\"1\"") }

        #expect(!isKept)
    }

    @Test(arguments: [
        ["Range": "bytes=0-1"], ["If-None-Match": "\"0\""],
        ["If-Modified-Since": "Mon, 31 Aug 2026 10:00:00 GMT"], ["If-Match": "\"0\""],
        ["If-Unmodified-Since": "Mon, 31 Aug 2026 10:00:00 GMT"], ["If-Range": "\"0\""],
        ["Cache-Control": "no-store"], ["Cache-Control": "no-cache, no-store"],
        ["Authorization": "Bearer a"],
    ])
    func uncacheableRequestIsNeitherStoredNorChanged(headers: [String: String]) async throws {
        let (cache, server) = (ETagCache(), MockServer { _ in .tagged() })

        for headers in [headers, [:], headers] {
            try await load("echo", headers: headers, by: cache, from: server)
        }

        // The response to the second request is stored, and the third one does not ask for it.
        #expect(server.requests.map(\.headers) == [headers, [:], headers])
    }

    @Test func notModifiedForConditionOfCallerIsReturned() async throws {
        let client = APIClient.make(
            transport: MockServer { _ in .tagged() }, interceptors: [ETagCache()])
        _ = try await client.load(EchoRequest())

        await expectError(.status(304)) {
            try await client.load(
                EchoRequest { try URLRequest(.get, "echo", headers: ["If-None-Match": "\"1\""]) })
        }
    }

    @Test(
        arguments: [
            { $0.httpBody = Data("{}".utf8) },
            { $0.httpBodyStream = InputStream(data: Data("{}".utf8)) },
        ] as [@Sendable (inout URLRequest) -> Void])
    func requestWithBodyIsNotCached(
        addBody: @escaping @Sendable (inout URLRequest) -> Void
    ) async throws {
        let server = MockServer { _ in .tagged() }
        let client = APIClient.make(server, ETagCache())
        let request = EchoRequest {
            var request = try URLRequest(.get, "echo")
            addBody(&request)
            return request
        }

        for _ in 0..<2 { _ = try await client.load(request) }

        #expect(server.requests.conditions == [false, false])
    }

    @Test func responseRemovedDuringItsRevalidationStaysRemoved() async throws {
        let (cache, other) = (ETagCache(), MockServer { _ in .status(204) })
        let server = MockServer { [self] request in
            if request.isConditional { try await load("echo", .put, by: cache, from: other) }
            return .tagged()
        }

        for _ in 0..<3 { try await load("echo", by: cache, from: server) }

        #expect(server.requests.conditions == [false, true, false])
    }

    @Test func eachVariantIsStored() async throws {
        let server = MockServer { _ in .tagged().header("Vary", "Accept-Language, X-Size") }
        let cache = ETagCache()
        let kinds = [
            ["Accept-Language": "de"], ["Accept-Language": "en"], [:],
            ["Accept-Language": "de", "X-Size": "2"],
        ]

        for kind in kinds + kinds {
            try await load("echo", headers: kind, by: cache, from: server)
        }

        let conditional = server.requests.conditions
        #expect(conditional == Array(repeating: false, count: 4) + [true, true, true, true])
    }

    @Test func fieldsOfASingleAttemptAreIgnored() async throws {
        let cache = ETagCache()
        let server = MockServer { _ in .tagged().header("Vary", "Accept") }

        try await load("echo", headers: ["X-Request-ID": "1"], by: cache, from: server)
        try await load("echo", headers: ["X-Request-ID": "2"], by: cache, from: server)

        #expect(server.requests.last?.isConditional == true)
    }

    @Test(arguments: ["X-User", "X-Tenant", "From"])
    func responseIsStoredPerUser(field: String) async throws {
        let cache = ETagCache()
        let server = MockServer { _ in .tagged() }

        for user in ["ada", "bob", "ada", "caf\u{e9}", "cafe\u{301}"] {
            try await load("echo", headers: [field: user], by: cache, from: server)
        }

        #expect(server.requests.conditions == [false, false, true, false, false])
    }

    @Test func fragmentIsNotPartOfKey() async throws {
        let (cache, server) = (ETagCache(), MockServer { _ in .tagged() })

        for path in ["a", "a?b=1", "a#top"] as [APIPath] {
            try await load(path, by: cache, from: server)
        }

        #expect(server.requests.conditions == [false, false, true])
    }

    @Test(
        arguments: ["POST", "PUT", "PATCH", "DELETE", "PURGE", "HEAD", "OPTIONS", "TRACE"]
            as [HTTPMethod], [200, 204, 303, 400, 404, 500])
    func onlyASuccessfulWriteRemovesResponse(method: HTTPMethod, status: Int) async throws {
        let isSafe = ["HEAD", "OPTIONS", "TRACE"].contains(method)

        #expect(try await isKept(across: method, status: status) == (isSafe || status >= 400))
    }

    /// The POST has been processed, although its result is missing.
    @Test func aWriteWhoseResultIsRefusedRemovesResponse() async throws {
        let (cache, server) = (ETagCache(), MockServer { _ in .tagged() })
        server.on(.post("/v1/echo"), reply: .redirect(to: "/result", status: 303))
        server.on(.get("/result"), reply: .status(404))
        let client = APIClient.make(server, cache)

        _ = try await client.load(EchoRequest())
        await expectError(.status(404)) {
            try await client.load(EchoRequest { try URLRequest(.post, "echo") })
        }
        _ = try await client.load(EchoRequest())

        #expect(server.requests.last?.isConditional == false)
    }

    @Test func writeToAnotherURLKeepsResponse() async throws {
        let (cache, server) = (ETagCache(), MockServer { _ in .tagged() })

        try await load("a", by: cache, from: server)
        try await load("b", .post, by: cache, from: server)
        try await load("a", by: cache, from: server)

        #expect(server.requests.last?.isConditional == true)
    }

    @Test func bodiesOfOtherTypesPassThrough() async throws {
        let (cache, server) = (ETagCache(), MockServer { _ in .tagged() })
        try await load("echo", by: cache, from: server)
        let call = APICall(
            request: try .make("GET", "https://api.example.com/echo"), apiRequest: EchoRequest())

        let response = try await cache.intercept(call) { call in
            #expect(call.request.allHTTPHeaderFields == [:])
            return APIResponse(value: "text", http: try .make(304))
        }

        #expect(response.value == "text")
        #expect(response.statusCode == 304)
    }

    private func isKept(across method: HTTPMethod, status: Int) async throws -> Bool {
        let server = MockServer { $0.method == "GET" ? .tagged() : .status(status) }
        let cache = ETagCache()
        try await load("echo", by: cache, from: server)
        try await load("echo", method, by: cache, from: server)
        try await load("echo", by: cache, from: server)
        return try #require(server.requests.last).isConditional
    }

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
        let removing = RequestAdapter { $0.setValue(nil, forHTTPHeaderField: "Authorization") }
        let client = APIClient.make(
            server, CallInterceptor.authentication(("1", "ada"), ("2", "bob"), ("3", "ada")),
            removing, ETagCache())

        for _ in 0..<3 { _ = try await client.load(EchoRequest()) }

        #expect(server.requests.conditions == [false, false, true])
    }
}
