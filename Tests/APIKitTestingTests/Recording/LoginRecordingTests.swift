import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// The recording of a client that signs in, and whose secrets are different at each run.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct LoginRecordingTests {
    let folder: RecordingFolder
    let real: LoopbackServer

    private static let token = "tok-9f8e7d6c5b4a+/="
    private static let refreshToken = "ref-8Zt3kLw9Xv2R"
    private static let session = "sess-abcdefghijkl"
    private static let recorded = Account(password: "correct horse & bätterie", key: "key-0a1b2c3d")
    private static let replayed = Account(password: "another password", key: "key-of-this-run")

    init() throws {
        folder = try RecordingFolder()
        let port = Locked<UInt16>(0)
        real = try LoopbackServer { request in
            let hasToken = request.header("Authorization") == "Bearer \(Self.token)"
            let hasCookie = request.header("Cookie")?.contains("session=\(Self.session)") == true
            switch request.path.prefix(while: { $0 != "?" }) {
            case "/login":
                return LoopbackServer.response(
                    200,
                    [
                        "Content-Type: application/json",
                        "Set-Cookie: session=\(Self.session); Path=/; HttpOnly",
                        "Set-Cookie: theme=dark; Path=/",
                    ],
                    body: """
                        {"accessToken": "\(Self.token.replacing("/", with: "\\/"))",
                         "refreshToken": "\(Self.refreshToken)", "expiresIn": 3600}
                        """)
            case "/me" where hasToken && hasCookie:
                let token = Self.token.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
                let host = "http://127.0.0.1:\(port.withLock { $0 })"
                return LoopbackServer.response(
                    200, ["Content-Type: application/json"],
                    body: """
                        {"name": "Ada", "avatar": "\(host)/avatar?token=\(token ?? "")&size=1"}
                        """)
            case "/avatar":
                return LoopbackServer.response(200, ["Content-Type: text/plain"], body: "picture")
            case "/renew":
                return LoopbackServer.response(
                    200, ["Content-Type: application/json"],
                    body: #"{"accessToken": "tok-of-the-second-day"}"#)
            default:
                return LoopbackServer.response(401)
            }
        }
        port.withLock { [real] in $0 = real.port }
    }

    private func cassette(_ mode: Cassette.Mode) -> Cassette {
        Cassette(
            "users", matching: [.method, .url, .body, .header("Authorization")], mode: mode)
    }

    private func client(of server: MockServer) -> LoginClient {
        LoginClient(
            client: APIClient(baseURL: real.url("/"), transport: server.session))
    }

    /// Records the client's calls.
    private func record() async throws {
        let server = folder.server(replaying: cassette(.newEpisodes))
        #expect(try await client(of: server).avatar(of: Self.recorded) == "picture")
        server.verify()
        #expect(real.requests.count == 3)
    }

    @Test func fileContainsNoSecret() async throws {
        try await record()

        let text = try #require(folder.text())
        let secrets = [
            Self.token, Self.refreshToken, Self.session, Self.recorded.password, Self.recorded.key,
        ]
        for secret in secrets {
            let data = Data(secret.utf8)
            let forms = [
                secret, secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics),
                secret.replacing("/", with: "\\/"), data.base64EncodedString(),
                String(data.base64EncodedString().dropLast(4)),
            ]
            for form in forms.compactMap({ $0 }) { #expect(!text.contains(form)) }
        }
        // The remaining values are the same as in the responses of the server.
        for value in ["3600", "Ada", "picture", "HttpOnly"] { #expect(text.contains(value)) }
    }

    @Test func equalSecretsHaveEqualPlaceholders() async throws {
        try await record()

        let entries = try folder.entries()
        let login = try #require(entries.first)
        let tokens = try JSONDecoder().decode(SignInTokens.self, from: login.response.body)
        let cookies = login.response.fields.filter { $0.name.lowercased() == "set-cookie" }
        let sessions = cookies.compactMap { $0.value.firstMatch(of: /session=([^;]*)/)?.output.1 }
        let session = try #require(sessions.first)
        let me = try #require(entries.dropFirst().first)
        let avatar = try #require(entries.last)
        #expect(tokens.accessToken.hasPrefix("REDACTED0"))
        #expect(tokens.accessToken != tokens.refreshToken)
        #expect(me.request.header("Authorization") == "Bearer \(tokens.accessToken)")
        #expect(me.request.header("Cookie")?.contains("session=\(session)") == true)
        #expect(
            avatar.request.url.absoluteString.contains("/avatar?token=\(tokens.accessToken)&size=1")
        )
        #expect(
            String(decoding: me.response.body, as: UTF8.self)
                .contains("/avatar?token=\(tokens.accessToken)&size=1"))
        #expect(avatar.response.body == Data("picture".utf8))
    }

    @Test func newSecretsReceiveNewPlaceholders() async throws {
        try await record()
        let known = try folder.entries()
        let recorder = folder.server(replaying: cassette(.newEpisodes))
        #expect(try await client(of: recorder).avatar(of: Self.replayed) == "picture")

        let renewed = try await client(of: recorder).renew("ref-Kv7Qm2Zp9Tx4")

        recorder.verify()
        #expect(renewed == "tok-of-the-second-day")
        let entries = try folder.entries()
        #expect(Array(entries.dropLast()) == known)
        let last = try #require(entries.last)
        let placeholder = try JSONDecoder().decode(RenewedToken.self, from: last.response.body)
            .accessToken
        #expect(placeholder.hasPrefix("REDACTED0"))
        #expect(folder.text()?.components(separatedBy: placeholder).count == 3)
        let server = folder.server(replaying: cassette(.none))
        #expect(try await client(of: server).avatar(of: Self.replayed) == "picture")
        #expect(try await client(of: server).renew("a third refresh token") == placeholder)
        server.verify()
    }

    @Test func secretThatIsSentAgainKeepsItsPlaceholder() async throws {
        try await record()
        let token = try JSONDecoder().decode(
            SignInTokens.self, from: try #require(folder.entries().first).response.body
        ).accessToken
        let recorder = folder.server(replaying: cassette(.newEpisodes))
        let client = client(of: recorder)
        #expect(try await client.avatar(of: Self.replayed) == "picture")

        // The client has the placeholder from the recording, and sends it to the real server.
        _ = try await client.client.response(
            to: AvatarRequest(), with: real.url("/avatar?size=2&token=\(token)"))

        recorder.verify()
        #expect(try folder.entries().last?.request.url.absoluteString.hasSuffix(token) == true)
    }
}

private struct Account: Encodable {
    let password: String
    let key: String
}

private struct SignInTokens: Decodable {
    let accessToken: String
    let refreshToken: String
    let expiresIn: Int
}

private struct RenewedToken: Decodable {
    let accessToken: String
}

private struct Profile: Decodable {
    let name: String
    let avatar: URL
}

private struct LoginRequest: APIRequest {
    typealias ResponseDataType = SignInTokens

    func makeRequest(from account: Account) throws -> URLRequest {
        try URLRequest(
            .post, "login", query: ["api_key": account.key, "v": 2],
            body: .json(["user": "ada", "password": account.password]))
    }
}

private struct ProfileRequest: APIRequest {
    typealias ResponseDataType = Profile

    func makeRequest(from token: String) throws -> URLRequest {
        try URLRequest(.get, "me", headers: ["Authorization": "Bearer \(token)"])
    }
}

private struct AvatarRequest: APIRequest {
    typealias ResponseDataType = String

    func makeRequest(from url: URL) -> URLRequest { URLRequest(url: url) }
}

private struct RenewRequest: APIRequest {
    typealias ResponseDataType = RenewedToken

    func makeRequest(from token: String) throws -> URLRequest {
        try URLRequest(.post, "renew", body: .form(["refreshToken": token]))
    }
}

/// A client whose secrets come from its user, and then from the server.
private struct LoginClient {
    let client: APIClient

    /// Signs in, and loads the picture whose URL is in the profile.
    func avatar(of account: Account) async throws -> String {
        let tokens = try await client.load(LoginRequest(), with: account)
        let profile = try await client.load(ProfileRequest(), with: tokens.accessToken)
        return try await client.load(AvatarRequest(), with: profile.avatar)
    }

    func renew(_ token: String) async throws -> String {
        try await client.load(RenewRequest(), with: token).accessToken
    }
}
