import APIKit
import Foundation

// snippet.tokens
nonisolated struct SignIn: Codable, Sendable {
    var userID: String
    var accessToken: String
    var refreshToken: String
}

struct RenewSignIn: APIRequest {
    typealias ResponseDataType = SignIn

    func makeRequest(from refreshToken: String) throws -> URLRequest {
        try URLRequest(
            .post, "session", body: .form(["refresh_token": refreshToken]))
    }
}

actor Tokens: AccountTokenProvider {
    private var signIn: SignIn?
    private let client: APIClient

    init(_ signIn: SignIn?, client: APIClient) {
        self.signIn = signIn
        self.client = client
    }

    func accountToken() -> (token: String, account: String)? {
        signIn.map { ($0.accessToken, $0.userID) }
    }

    func refresh(replacing token: String) async throws -> String? {
        guard let old = signIn, old.accessToken == token else { return nil }
        let new = try await client.load(
            RenewSignIn(), with: old.refreshToken)
        // By now, the user may have signed out, or another may have signed in.
        guard signIn?.accessToken == token else { return nil }
        signIn = new
        return new.accessToken
    }

    func signOut() { signIn = nil }
}
// snippet.end

func makeClient(saved: SignIn?) -> APIClient {
    // snippet.client
    let plain = APIClient(baseURL: URL(string: "https://api.example.com/v1"))
    let tokens = Tokens(saved, client: plain)

    var client = plain
    client.interceptors = [Retry(), BearerAuthentication(tokens)]
    // snippet.end
    return client
}

nonisolated struct Grant: Decodable, Sendable {
    enum CodingKeys: String, CodingKey {
        case token = "access_token"
        case lifetime = "expires_in"
    }

    var token: String
    var lifetime: Int
}

struct GrantRequest: APIRequest {
    typealias ResponseDataType = Grant

    func makeRequest(from secret: String) throws -> URLRequest {
        try URLRequest(
            .post, "oauth/token", body: .form(["client_secret": secret]))
    }
}

func withoutProvider(
    plain: APIClient, key: String, secret: String
) -> [BearerAuthentication] {
    // snippet.fixed
    let fixed = BearerAuthentication(token: key)
    let fetched = BearerAuthentication {
        try await plain.load(GrantRequest(), with: secret).token
    }
    let named = BearerAuthentication(
        token: key, hosts: ["api.example.com", "img.example.com"])
    // snippet.end

    // snippet.expiring
    let expiring = BearerAuthentication(expiring: {
        let grant = try await plain.load(GrantRequest(), with: secret)
        return (grant.token, .seconds(grant.lifetime))
    })
    // snippet.end
    return [fixed, fetched, named, expiring]
}

func otherCredentials(user: String, password: String) -> APIClient {
    // snippet.basic
    let credentials = Data("\(user):\(password)".utf8).base64EncodedString()
    let client = APIClient(
        baseURL: URL(string: "https://api.example.com/v1"),
        headers: ["Authorization": "Basic \(credentials)"])
    // snippet.end

    return client
}
