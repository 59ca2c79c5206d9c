import APIKit
import Foundation
import Testing

/// The ways to sign in to the service.
enum Login: CaseIterable, Sendable {
    case passwordGrant, clientCredentials, authorizationCode, deviceCode, refreshToken, json
    case firebase, cookie, headerKey, queryKey
}

/// What a client does after it has signed in.
enum Use: CaseIterable, Sendable {
    case profile, expiredToken, pages, graphQL
}

/// A client with a way to sign in.
struct FlowClient {
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
        ["password", "clientsecret", "apikey"].map { secret($0, of: account) }
    }

    private static func secret(_ name: String, of account: Int) -> String {
        "\(name)-4f7a2c9e1b\(account)d8"
    }

    private var password: String { Self.secret("password", of: account) }
    private var clientSecret: String { Self.secret("clientsecret", of: account) }
    private var apiKey: String { Self.secret("apikey", of: account) }

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

    private mutating func takeTokens(of request: URLRequest) async throws {
        let tokens = try await load(Tokens.self, request)
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
            try await takeTokens(
                of: form(["grant_type": "password", "username": "ada", "password": password]))
        case .clientCredentials:
            var request = try form(["grant_type": "client_credentials"])
            let basic = Data("client:\(clientSecret)".utf8).base64EncodedString()
            request.setValue("Basic \(basic)", forHTTPHeaderField: "Authorization")
            try await takeTokens(of: request)
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
            try await takeTokens(
                of: form([
                    "grant_type": "authorization_code", "code": code,
                    "code_verifier": UUID().uuidString,
                ]))
        case .deviceCode:
            let device = try await load(
                Device.self, URLRequest(.post, "device", body: .form(["client_id": "app"])))
            let poll = try form(["grant_type": "device", "device_code": device.deviceCode])
            #expect(try await load(poll).1 == 400)
            try await takeTokens(of: poll)
        case .refreshToken:
            try await takeTokens(of: form(["grant_type": "password", "password": password]))
            try await takeTokens(
                of: form(["grant_type": "refresh_token", "refresh_token": refreshToken]))
        case .json:
            try await takeTokens(
                of: URLRequest(.post, "token", body: .json(["user": "ada", "password": password])))
        case .firebase:
            try await takeTokens(
                of: URLRequest(
                    .post, "v1/accounts", query: ["key": apiKey],
                    body: .json(["email": "ada@example.com", "password": password])))
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
            try await takeTokens(of: URLRequest(.post, "renew"))
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
