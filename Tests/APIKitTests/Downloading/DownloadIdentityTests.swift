import APIKit
import APIKitTesting
import Foundation
import Testing

/// The properties that a download must share with an earlier one to continue it.
@Suite(.inTurn, .mockServer, .timeLimit(.minutes(10))) struct DownloadIdentityTests: DownloadSuite {
    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func request(
        _ path: String = "echo", _ headers: [String: String] = [:], body: Data? = nil
    ) -> EchoRequest {
        EchoRequest {
            var request = try URLRequest.make(
                "GET", "https://api.example.com/v1/\(path)", headers: headers)
            request.httpBody = body
            return request
        }
    }

    /// Downloads a whole resource, and returns the starts of the requested ranges.
    private func starts(
        _ client: APIClient? = nil, _ request: EchoRequest = EchoRequest()
    ) async throws -> [Int?] {
        let other = Data(repeating: 0xFF, count: 1000)
        let route = server.on(.any, reply: .tagged(other))
        try await (client ?? self.client()).download(request, to: file)
        let starts = route.requests.map(\.rangeStart)
        let start = starts.last.flatMap { $0 } ?? 0
        #expect(try Data(contentsOf: file) == content.prefix(start) + other.dropFirst(start))
        return starts
    }

    // MARK: - The resource

    @Test(arguments: [("a", 400), ("b", nil)] as [(String, Int?)])
    func secretsInURLDistinguishResources(key: String, start: Int?) async throws {
        try await breakOff(nil, request("echo?key=a"))

        #expect(try await starts(nil, request("echo?key=\(key)")) == [start])
    }

    @Test(
        arguments: [
            (["Accept": "a"], ["Accept": "b"], nil),
            (["Accept-Language": "a"], ["Accept-Language": "b"], nil),
            (["Accept-Encoding": "a"], ["Accept-Encoding": "b"], nil),
            (["X-Tenant": "a"], ["X-Tenant": "b"], nil),
            // Two fields, and one with the same text.
            (["x-a": "1", "x-b": "2"], ["x-a": "1x-b: 2"], nil),
            (["accept": "a/b", "X-Tenant": "a"], ["x-tenant": "a", "Accept": "a/b"], 400),
            // Each attempt has its own.
            (["X-Request-ID": "1", "traceparent": "1"], ["X-Request-ID": "2"], 400),
        ] as [([String: String], [String: String], Int?)])
    func headerFieldsSelectARepresentation(
        first: [String: String], second: [String: String], start: Int?
    ) async throws {
        try await breakOff(nil, request("echo", first))

        #expect(try await starts(nil, request("echo", second)) == [start])
    }

    @Test func headerFieldsOfSessionDistinguishRepresentations() async throws {
        func client(_ language: String) -> APIClient {
            let configuration = URLSession.plain().configuration
            configuration.httpAdditionalHeaders = ["Accept-Language": language]
            return self.client(transport: server.makeSession(configuration: configuration))
        }
        try await breakOff(client("de"))
        #expect(try await starts(client("fr")) == [nil])

        try await breakOff(client("de"))
        #expect(try await starts(client("de")) == [400])
    }

    /// A validator identifies a version of one resource only.
    @Test(
        arguments: [
            ("files/1", "files/1", 400), ("files/1?sig=a", "files/1?sig=b", 400),
            ("files/1", "files/2", nil),
        ] as [(String, String, Int?)])
    func redirectToAnotherResourceStartsOver(
        first: String, second: String, start: Int?
    ) async throws {
        let targets = Locked([first, second, second])
        server.on(.path("/v1/echo")) { _ in
            .redirect(to: "/v1/\(targets.withLock { $0.removeFirst() })")
        }
        let other = Data(repeating: 0xFF, count: 1000)
        server.on(.path("/v1/files/*"), reply: .tagged(other))
        server.on(
            .path("/v1/files/*"),
            reply: brokenResponse(), times: 1)
        await #expect(throws: APIError.self) { try await download() }

        try await download()

        let kept = start ?? 0
        #expect(try Data(contentsOf: file) == content.prefix(kept) + other.dropFirst(kept))
    }

    @Test func getWithBodyIsNotContinued() async throws {
        // A session refuses a GET with a body, and other transports send it.
        try await breakOff(client(transport: server), request(body: Data("query".utf8)))

        #expect(try folder.names.isEmpty)
    }

    // MARK: - The account

    @Test(arguments: [("2", "rex", 400), ("1", "ada", nil)] as [(String, String, Int?)])
    func onlyTheSameAccountContinues(token: String, account: String, start: Int?) async throws {
        try await breakOff(client(CallInterceptor.authentication(("1", "rex"))))

        let next = client(CallInterceptor.authentication((token, account)))
        #expect(try await starts(next) == [start])
    }

    @Test(
        arguments: [
            ("Authorization", "a"), ("Cookie", "a"), ("X-Api-Key", "a"), ("X-Session-Token", "a"),
            ("X-Proof", "ghp_\(String(repeating: "1a", count: 18))"),
        ])
    func credentialsWithoutAccountStartOver(name: String, value: String) async throws {
        let request = request("echo", [name: value])
        try await breakOff(nil, request)

        #expect(try folder.names.isEmpty)
        #expect(try await starts(nil, request) == [nil])
    }

    @Test func credentialsWithoutAccountDoNotContinuePublicDownload() async throws {
        try await breakOff()

        #expect(try await starts(nil, request("echo", ["Authorization": "Bearer a"])) == [nil])
    }

    @Test func cookiesOfSessionAreCredentials() async throws {
        let session = server.makeSession(configuration: URLSession.plain().configuration)
        try session.setCookie("sid", "1")

        let rebuilding = CallInterceptor { call in
            call = APICall(request: call.request, apiRequest: call.apiRequest)
        }
        for transport in [session, session.redirecting(RedirectPolicy.follow)]
            as [any HTTPTransport]
        {
            try await breakOff(client(transport: transport))
            #expect(try folder.names.isEmpty)
            try await breakOff(client(rebuilding, transport: transport))
            #expect(try folder.names.isEmpty)
        }
    }

    @Test func cookiesAreNoCredentialsOfARequestThatRefusesThem() async throws {
        let session = server.makeSession(configuration: URLSession.plain().configuration)
        try session.setCookie("sid", "1")

        try await breakOff(
            client(RequestAdapter { $0.httpShouldHandleCookies = false }, transport: session))

        #expect(try !folder.names.isEmpty)
    }

    @Test func sessionCookiesDistinguishUsersEvenIfRequestSetsACookie() async throws {
        let session = server.makeSession(configuration: URLSession.plain().configuration)
        let users = Locked(["ada", "rex"])
        let signIn = RequestAdapter { _ in
            try session.setCookie("sid", users.withLock { $0.removeFirst() })
        }
        server.on(.any, reply: .tagged(content))
        server.on(.any, reply: brokenResponse(), times: 1)

        try await client(Retry.immediate, signIn, transport: session)
            .download(request("echo", ["Cookie": "theme=dark"]), to: file)

        #expect(server.requests.map(\.rangeStart) == [nil, nil])
    }

    @Test func anotherTransportMayAddCredentials() async throws {
        let transport = ForwardingTransport(session: server.session)
        try await breakOff(client(transport: transport))
        #expect(try folder.names.isEmpty)

        try await breakOff(
            client(CallInterceptor.authentication(("1", "rex")), transport: transport))
        let next = client(CallInterceptor.authentication(("2", "rex")), transport: transport)
        #expect(try await starts(next) == [400])
    }

    /// The connection of the first attempt breaks.
    @Test(
        arguments: [
            ("1", nil, "1", nil, 400), ("1", nil, "2", nil, nil), ("1", "rex", "2", "rex", 400),
            ("1", "rex", "2", "ada", nil),
        ] as [(String, String?, String, String?, Int?)])
    func nextAttemptContinuesOnlyWithSameCredentialsOrAccount(
        token: String, account: String?, nextToken: String, nextAccount: String?, start: Int?
    ) async throws {
        server.on(.any, reply: .tagged(content))
        server.on(.any, reply: brokenResponse(), times: 1)
        let authentication = CallInterceptor.authentication(
            (token, account), (nextToken, nextAccount))

        try await download(client(Retry.immediate, authentication))

        #expect(server.requests.map(\.rangeStart) == [nil, start])
        try expectFile()
    }

    @Test func newTokenOfAKnownFormContinuesForTheSameAccount() async throws {
        server.on(.any, reply: .tagged(content))
        server.on(.any, reply: brokenResponse(), times: 1)
        let tokens = Locked(["1a", "2b"].map { "ghp_\(String(repeating: $0, count: 18))" })
        let signIn = CallInterceptor { call in
            let token = tokens.withLock { $0.removeFirst() }
            call.request.setValue(token, forHTTPHeaderField: "X-Proof")
            call.account = "rex"
        }

        try await download(client(Retry.immediate, signIn))

        #expect(server.requests.map(\.rangeStart) == [nil, 400])
    }

    /// One attempt breaks, one is refused, and one has a new token.
    @Test(
        arguments: [
            (StubAccounts("1", of: "rex") { _ in "2" }, 400), (StubTokens("1") { _ in "2" }, nil),
        ] as [(any TokenProvider, Int?)])
    func newTokenContinuesOnlyForAKnownAccount(
        tokens: any TokenProvider, start: Int?
    ) async throws {
        server.on(.any.header("Authorization", "Bearer 1"), reply: .status(401))
        server.on(.any.header("Authorization", "Bearer 2"), reply: .tagged(content))
        server.on(.any, reply: brokenResponse(), times: 1)

        try await client(Retry.immediate, BearerAuthentication(tokens))
            .download(EchoRequest(), to: file)

        #expect(try Data(contentsOf: file) == content)
        #expect(server.requests.map(\.rangeStart) == [nil, 400, start])
    }

    // MARK: - Stored identity

    @Test func onlySaltedHashIsStored() async throws {
        let secret = request("echo?token=s3cr3t&page=2", ["Accept-Language": "de"])
        let client = client(CallInterceptor.authentication(("t0k3n", "rex-account")))
        var stored: [String] = []
        for _ in 0..<2 {
            try await breakOff(client, secret)
            stored.append(try #require(folder.text(".report.partial-of")))
            try FileManager.default.removeItem(at: folder.url(".report.partial-of"))
        }

        for word in ["s3cr3t", "t0k3n", "rex-account", "page", "example", "de\""] {
            #expect(!stored.joined().contains(word))
        }
        struct Version: Decodable { let salt, identity: [UInt64] }
        let versions = try stored.map { text in
            try JSONDecoder().decode(Version.self, from: Data(text.utf8))
        }
        #expect(Set(versions.map(\.salt)).count == 2)
        #expect(Set(versions.map(\.identity)).count == 2)
    }
}

/// A transport that hides its session.
private struct ForwardingTransport: HTTPTransport {
    let session: URLSession

    func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
        try await session.send(request)
    }

    func stream(_ request: URLRequest) async throws -> (ByteStream, URLResponse) {
        try await session.stream(request)
    }
}
