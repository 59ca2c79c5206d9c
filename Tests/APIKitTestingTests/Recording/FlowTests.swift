import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// Flows of several requests that record with one account, and replay with the secrets of another.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct FlowTests {
    private let folder: RecordingFolder
    private let service: Service

    init() throws {
        folder = try RecordingFolder()
        service = try Service()
    }

    /// Runs a flow, and returns what the client has decoded.
    private func run(
        _ login: Login, _ use: Use, account: Int, mode: Cassette.Mode
    ) async throws -> [String] {
        let cassette = Cassette(
            "users",
            matching: [
                .method, .url, .body, .ignoring("state", "code_challenge", "code_verifier"),
            ], mode: mode, options: [.checksAllMethods])
        let server = folder.server(replaying: cassette)
        var client = FlowClient(
            client: APIClient(
                baseURL: service.real.url("/"), transport: server.session), account: account)
        try await client.signIn(login)
        let facts = try await client.perform(use)
        #expect(server.failuresOfVerification() == [])
        return facts
    }

    /// Each way to sign in and each use; under stress, all pairs of them.
    private static let pairs: [(Login, Use)] = Login.allCases.enumerated().flatMap { index, login in
        Stress.isFull
            ? Use.allCases.map { (login, $0) } : [(login, Use.allCases[index % Use.allCases.count])]
    }

    @Test(arguments: pairs)
    func flowIsRecordedReplayedAndChecked(login: Login, use: Use) async throws {
        let recorded = try await run(login, use, account: 1, mode: .all)
        let count = service.real.requests.count

        let replayed = try await run(login, use, account: 2, mode: .none)

        #expect(!recorded.isEmpty && recorded == replayed)
        #expect(service.real.requests.count == count)
        let text = try #require(folder.text())
        for secret in service.secrets + FlowClient.secrets(of: 1) {
            #expect(!text.contains(secret), "\(secret)")
        }
        // A server has one answer to the first poll for a device, and another one later.
        guard login != .deviceCode else { return }

        _ = try await run(login, use, account: 2, mode: .check)

        #expect(folder.text() == text)
    }
}

/// The ways to sign in to the service.
enum Login: CaseIterable, Sendable {
    case passwordGrant, clientCredentials, authorizationCode, deviceCode, refreshToken, json
    case firebase, cookie, headerKey, queryKey
}

/// What a client does after it has signed in.
enum Use: CaseIterable, Sendable {
    case profile, expiredToken, pages, graphQL
}

/// A real server with all endpoints of the flows.
private struct Service {
    let real: LoopbackServer
    let secrets = [
        "tok-9f8e7d6c5b4a3f2e-1", "tok-9f8e7d6c5b4a3f2e-2", "ref-1a2b3c4d5e6f7a8b",
        "code-7c6b5a4f3e2d1c0b", "csrf-0f1e2d3c4b5a6978", "dev-5d4c3b2a19080706",
    ]

    init() throws {
        let polls = Locked(0)
        let (first, second, refresh) = (secrets[0], secrets[1], secrets[2])
        let (code, csrf, device) = (secrets[3], secrets[4], secrets[5])
        @Sendable func json(_ body: String, status: Int = 200, _ fields: [String] = []) -> String {
            LoopbackServer.response(status, ["Content-Type: application/json"] + fields, body: body)
        }
        @Sendable func token(_ value: String) -> String {
            json(
                """
                {"access_token":"\(value)","token_type":"Bearer","expires_in":3600,\
                "refresh_token":"\(refresh)","scope":"read write"}
                """)
        }
        real = try LoopbackServer { request in
            let path = request.path.prefix { $0 != "?" }
            let head = request.head
            let isRenewed = head.contains(second)
            switch (request.method, path) {
            case ("POST", "/token") where request.body.contains("device_code"):
                let isFirst = polls.withLock { count in
                    count += 1
                    return count == 1
                }
                return isFirst
                    ? json(#"{"error":"authorization_pending"}"#, status: 400) : token(first)
            case ("POST", "/token") where request.body.contains(refresh): return token(second)
            case ("POST", "/token"), ("POST", "/v1/accounts"): return token(first)
            case ("POST", "/login"):
                return LoopbackServer.response(
                    200,
                    ["Content-Type: text/plain", "Set-Cookie: session=\(first); Path=/; HttpOnly"],
                    body: "welcome")
            case ("POST", "/renew"):
                return json(
                    #"{"access_token":"\#(second)","token_type":"Bearer","expires_in":60}"#,
                    ["Set-Cookie: session=\(second); Path=/"])
            case ("GET", "/login"):
                return LoopbackServer.response(
                    200, ["Content-Type: text/html"],
                    body: #"<form><input type="hidden" name="csrf_token" value="\#(csrf)"></form>"#)
            case ("GET", "/authorize"):
                return json(#"{"redirect":"app://done?code=\#(code)","expires_in":600}"#)
            case ("POST", "/device"):
                return json(#"{"device_code":"\#(device)","interval":5,"expires_in":900}"#)
            case ("GET", "/me"):
                return json(
                    """
                    {"id":"8cf1e1a4-2b7d-4e0f-9a61-0c5d3b7e8f90","created":"2026-01-31T12:00:00Z",\
                    "avatar":"https://img.example/7.png?size=64","plan":"team","quota":4096,\
                    "renewed":\(isRenewed)}
                    """)
            case ("GET", "/vault"):
                return isRenewed
                    ? json(#"{"items":["a"]}"#) : json(#"{"error":"expired"}"#, status: 401)
            case ("GET", "/items"):
                let page = request.path.contains("cursor=2") ? 2 : 1
                return json(#"{"items":["item \#(page)"],"next":\#(page == 1 ? "2" : "null")}"#)
            case ("POST", "/graphql"):
                let name = request.body.contains("Viewer") ? "Viewer" : "Repositories"
                return json(#"{"data":{"name":"\#(name)","count":\#(name.count)}}"#)
            default: return LoopbackServer.response(404)
            }
        }
    }
}

private struct FlowClient {
    let client: APIClient
    /// The secrets of each run differ.
    let account: Int
    private var token: String?
    private var login = Login.json
    private var refreshToken = ""

    init(client: APIClient, account: Int) {
        self.client = client
        self.account = account
    }

    static func secrets(of account: Int) -> [String] {
        ["password", "clientsecret", "apikey"].map { "\($0)-4f7a2c9e1b\(account)d8" }
    }

    private var password: String { Self.secrets(of: account)[0] }
    private var clientSecret: String { Self.secrets(of: account)[1] }
    private var apiKey: String { Self.secrets(of: account)[2] }

    private struct Tokens: Decodable {
        let accessToken: String
        let refreshToken: String?
        let tokenType: String
        let expiresIn: Int
    }

    private struct Profile: Decodable {
        enum Plan: String, Decodable { case free, team }
        let id: UUID
        let created: Date
        let avatar: URL
        let plan: Plan
        let quota: Int
    }

    private struct Page: Decodable {
        let items: [String]
        let next: Int?
    }

    private struct Answer: Decodable {
        struct Result: Decodable {
            let name: String
            let count: Int
        }
        let data: Result
    }

    private struct Redirect: Decodable { let redirect: URL }
    private struct Device: Decodable {
        let deviceCode: String
        let interval: Int
    }

    private func load(_ request: URLRequest) async throws -> (Data, Int) {
        var request = request
        if let token {
            if login == .headerKey {
                request.setValue(token, forHTTPHeaderField: "X-Api-Key")
            } else if login == .queryKey {
                request.url?.append(queryItems: [URLQueryItem(name: "api_key", value: token)])
            } else if login != .cookie {
                request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
            }
        }
        request.url = URL(string: request.url?.relativeString ?? "", relativeTo: client.baseURL)
        let (data, response) = try await client.transport.send(request)
        return (data, (response as? HTTPURLResponse)?.statusCode ?? 0)
    }

    private func load<Value: Decodable>(_ type: Value.Type, _ request: URLRequest) async throws
        -> Value
    {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: await load(request).0)
    }

    private mutating func take(_ tokens: Tokens) {
        token = tokens.accessToken
        refreshToken = tokens.refreshToken ?? refreshToken
    }

    mutating func signIn(_ login: Login) async throws {
        self.login = login
        @Sendable func form(_ fields: QueryItems) throws -> URLRequest {
            try URLRequest(.post, "token", body: .form(fields))
        }
        switch login {
        case .passwordGrant:
            take(
                try await load(
                    Tokens.self,
                    form(["grant_type": "password", "username": "ada", "password": password])))
        case .clientCredentials:
            var request = try form(["grant_type": "client_credentials"])
            let basic = Data("client:\(clientSecret)".utf8).base64EncodedString()
            request.setValue("Basic \(basic)", forHTTPHeaderField: "Authorization")
            take(try await load(Tokens.self, request))
        case .authorizationCode:
            let state = "state-\(UUID().uuidString)"
            let redirect = try await load(
                Redirect.self,
                URLRequest(
                    .get, "authorize",
                    query: [
                        "client_id": "app", "state": state, "code_challenge": UUID().uuidString,
                    ]))
            let code = URLComponents(url: redirect.redirect, resolvingAgainstBaseURL: false)?
                .queryItems?.first { $0.name == "code" }?.value
            take(
                try await load(
                    Tokens.self,
                    form([
                        "grant_type": "authorization_code", "code": code,
                        "code_verifier": UUID().uuidString,
                    ])))
        case .deviceCode:
            let device = try await load(
                Device.self, URLRequest(.post, "device", body: .form(["client_id": "app"])))
            let poll = try form(["grant_type": "device", "device_code": device.deviceCode])
            #expect(try await load(poll).1 == 400)
            take(try await load(Tokens.self, poll))
        case .refreshToken:
            take(
                try await load(Tokens.self, form(["grant_type": "password", "password": password])))
            take(
                try await load(
                    Tokens.self,
                    form(["grant_type": "refresh_token", "refresh_token": refreshToken])))
        case .json:
            take(
                try await load(
                    Tokens.self,
                    URLRequest(.post, "token", body: .json(["user": "ada", "password": password]))))
        case .firebase:
            take(
                try await load(
                    Tokens.self,
                    URLRequest(
                        .post, "v1/accounts", query: ["key": apiKey],
                        body: .json(["email": "ada@example.com", "password": password]))))
        case .cookie:
            let page = String(decoding: try await load(URLRequest(.get, "login")).0, as: UTF8.self)
            let token = page.firstMatch(of: /value="([^"]*)"/).map { String($0.output.1) }
            let text = try await load(
                URLRequest(
                    .post, "login", body: .form(["csrf_token": token, "password": password])))
            #expect(text.0 == Data("welcome".utf8))
        case .headerKey, .queryKey:
            token = apiKey
        }
    }

    mutating func perform(_ use: Use) async throws -> [String] {
        switch use {
        case .profile:
            var facts: [String] = []
            for _ in 0..<2 {
                let me = try await load(Profile.self, URLRequest(.get, "me"))
                facts.append("\(me.created) \(me.avatar) \(me.plan) \(me.quota)")
            }
            return facts
        case .expiredToken:
            let first = login == .refreshToken ? 200 : 401
            #expect(try await load(URLRequest(.get, "vault")).1 == first)
            take(try await load(Tokens.self, URLRequest(.post, "renew")))
            return try await load(Page.self, URLRequest(.get, "vault")).items
        case .pages:
            var (items, next): ([String], Int?) = ([], 1)
            while let cursor = next {
                let page = try await load(
                    Page.self, URLRequest(.get, "items", query: ["cursor": cursor]))
                items += page.items
                next = page.next
            }
            return items
        case .graphQL:
            var facts: [String] = []
            for name in account == 1 ? ["Viewer", "Repositories"] : ["Repositories", "Viewer"] {
                let body: JSONValue = [
                    "operationName": .string(name), "query": .string("query \(name) { name }"),
                ]
                let answer = try await load(
                    Answer.self, URLRequest(.post, "graphql", body: .json(body)))
                facts.append("\(answer.data.name) \(answer.data.count)")
            }
            return facts.sorted()
        }
    }
}
