import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// The recording of a client that reads the header and the claims of its JSON Web Token.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct TokenRecordingTests {
    private struct Header: Decodable {
        enum Algorithm: String, Decodable { case rs256 = "RS256" }
        let alg: Algorithm
        let kid: String
    }

    private struct Claims: Decodable {
        struct Plan: Decodable { let seats: Int }
        let iss: URL
        let sub: String
        let jti: UUID
        let aud: [String]
        let exp: Date
        let roles: [String]
        let emailVerified: Bool
        let plan: Plan
    }

    private struct Login: Decodable { let accessToken: String }

    private static let subject = "auth0|5f7c8ec7c33c6c004bbafe82"
    private static let identifier = "8cf1e1a4-2b7d-4e0f-9a61-0c5d3b7e8f90"
    private static let signature = "c2lnLTlmOGU3ZDZjNWI0YTNmMmUxZDBj"
    private static let password = "correct horse 7"

    private static let token: String = {
        func part(_ json: String) -> String {
            Data(json.utf8).base64EncodedString().replacing("+", with: "-")
                .replacing("/", with: "_").replacing("=", with: "")
        }
        let header = part(#"{"alg":"RS256","typ":"JWT","kid":"key-2026"}"#)
        let claims = part(
            """
            {"iss":"https://id.example/","sub":"\(subject)","jti":"\(identifier)","aud":["app"],\
            "exp":4102444800,"roles":["admin","reader"],"email_verified":true,"plan":{"seats":25}}
            """)
        return "\(header).\(claims).\(signature)"
    }()

    private let folder: RecordingFolder
    private let real: LoopbackServer

    init() throws {
        folder = try RecordingFolder()
        real = try LoopbackServer { request in
            let isSignedIn = request.header("Authorization") == "Bearer \(Self.token)"
            let path = request.path.removingPercentEncoding ?? ""
            return switch (path, isSignedIn) {
            case ("/login", _):
                LoopbackServer.response(
                    200, ["Content-Type: application/json"],
                    body: #"{"access_token":"\#(Self.token)","expires_in":3600}"#)
            case ("/users/\(Self.subject)", true):
                LoopbackServer.response(
                    200, ["Content-Type: application/json"],
                    body: #"{"id":"\#(Self.subject)","name":"Ada"}"#)
            default: LoopbackServer.response(401)
            }
        }
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ part: Substring
    ) throws -> Value {
        let base64 = part.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .secondsSince1970
        return try decoder.decode(type, from: #require(Data(base64Encoded: base64 + padding)))
    }

    /// Signs in, and loads the user whom the token names.
    private func run(_ mode: Cassette.Mode, password: String) async throws -> (Claims, user: String)
    {
        let server = folder.server(replaying: Cassette("users", mode: mode))
        func load(_ path: String, _ change: (inout URLRequest) -> Void) async throws -> Data {
            var request = URLRequest(url: real.url(path))
            change(&request)
            return try await server.session.send(request).0
        }
        let data = try await load("/login") {
            $0.httpMethod = "POST"
            $0.httpBody = Data(#"{"user":"ada","password":"\#(password)"}"#.utf8)
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let token = try decoder.decode(Login.self, from: data).accessToken
        let parts = token.split(separator: ".")
        #expect(parts.count == 3)
        #expect(try Self.decode(Header.self, parts[0]).kid == "key-2026")
        let claims = try Self.decode(Claims.self, parts[1])
        let id = claims.sub.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let user = try await load("/users/\(id)") {
            $0.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        }
        #expect(server.failuresOfVerification() == [])
        return (claims, String(decoding: user, as: UTF8.self))
    }

    @Test func clientThatReadsItsTokenRecordsAndReplays() async throws {
        let (claims, user) = try await run(.all, password: Self.password)
        #expect(user.contains(Self.subject) && claims.sub == Self.subject)

        let (replayed, name) = try await run(.none, password: "of another run")

        #expect(real.requests.count == 2)
        #expect(name.contains(#""name":"Ada""#) && name.contains(replayed.sub))
        #expect(replayed.iss == claims.iss && replayed.aud == ["app"])
        #expect(replayed.exp == claims.exp && replayed.roles.count == 2)
        #expect(replayed.emailVerified && replayed.plan.seats == 25)
        #expect(replayed.sub != claims.sub && replayed.jti != claims.jti)
        let text = try #require(folder.text())
        let subject = Self.subject.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        for secret in [
            Self.token, Self.signature, Self.subject, subject, Self.identifier, Self.password,
        ] {
            #expect(!text.contains(secret ?? ""))
        }
    }
}
