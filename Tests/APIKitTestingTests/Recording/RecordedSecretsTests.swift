import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn) struct RecordedSecretsTests: RedactingEntries {
    @Test(arguments: [
        (["Authorization": "Bearer dev-token-for-staging"], "got dev-token-for-staging"),
        (["X-Api-Key": "hunter2"], #"["hunter2","hunter"]"#),
        (["Cookie": "session=my-session; theme=production"], #"{"env":"production"}"#),
        (["Authorization": "Basic \(basic)"], "https://h.example/password/reset"),
    ])
    func credentialThatDoesNotLookRandomStaysWhereItHasNoName(
        fields: [String: String], text: String
    ) throws {
        let entries = redact(entry(headers: fields, response: text))

        let first = try #require(entries.first)
        #expect(first.request.fields.allSatisfy { $0.value.contains("REDACTED0001") })
        #expect(first.response.body == Data(text.utf8))
    }

    private static let basic = Data("ada:password".utf8).base64EncodedString()

    @Test func placeholdersThatStillOccurStay() {
        let table = RecordedSecrets(
            after: [entry(body: "a=1001&b", response: "x10020y REDACTED0001")],
            placeholders: ["1001", "1002", "2001", "REDACTED0001", "REDACTED0002", "1003"])

        #expect(table.placeholders == ["1001", "1002", "REDACTED0001"])
    }

    private static let key = "qL8xT3vR9mK2wN5pB7cD1fG4hJ6sV0yZaX+eU/iO3k0="

    @Test(arguments: [
        (#"{"password":"x"}"#, #"{"password":"REDACTED0001"}"#),
        (#"{"pin":1234,"otp":"000111"}"#, #"{"pin":1001,"otp":"100002"}"#),
        (#"{"token":"\#(uuid)"}"#, #"{"token":"00000000-0000-4000-8000-000000000001"}"#),
        (
            #"{"api_key":"5257a869e7ecebeda32affa62cdca3fa"}"#,
            #"{"api_key":"00000000000000000000000000000001"}"#
        ),
        (
            #"{"secret":"x","client_secret":"x","passwd":"y"}"#,
            #"{"secret":"REDACTED0001","client_secret":"REDACTED0001","passwd":"REDACTED0002"}"#
        ),
    ])
    func placeholderHasTheFormOfItsSecret(text: String, expected: String) throws {
        #expect(redacted(text) == expected)
    }

    @Test func redactedResponseDecodes() throws {
        struct Login: Decodable, Equatable {
            enum Kind: String, Decodable { case basic, bearer }
            let token: UUID
            let expiresAt: Date
            let next: URL
            let secret: Data
            let kind: Kind
            let pin: Int
            let isValid: Bool
        }
        let text = redacted(
            #"""
            {"token":"\#(Self.uuid)","expiresAt":"2026-01-31T12:00:00Z","pin":4711,"isValid":true,
            "next":"https://h.example/a?access_token=\#(Self.token)&page=2","secret":"\#(Self.key)",
            "kind":"bearer"}
            """#
        )
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601

        let login = try decoder.decode(Login.self, from: Data(text.utf8))

        #expect(login.kind == .bearer && login.isValid && (1000...9999).contains(login.pin))
        #expect(login.next.absoluteString.hasPrefix("https://h.example/a?access_token=REDACTED"))
        #expect(login.next.absoluteString.hasSuffix("&page=2"))
        #expect(login.token.uuidString != Self.uuid.uppercased() && login.secret.count == 32)
        #expect(!text.contains(Self.token))
    }

    @Test func placeholderIsNoRealValue() throws {
        let text = redacted(#"{"pin":1234,"ids":[1001,1002],"note":"REDACTED0001 x"}"#)

        #expect(text == #"{"pin":1003,"ids":[1001,1002],"note":"REDACTED0001 x"}"#)
    }

    @Test func placeholdersOfTheFileStay() throws {
        var table = RecordedSecrets(
            after: [entry("/?secret=REDACTED0001")],
            placeholders: ["REDACTED0001", "REDACTED0009"])

        let entries = table.redact(
            [entry("/?secret=x&pwd=REDACTED0001")], by: .secrets)

        #expect(
            entries.first?.request.url.absoluteString == "/?secret=REDACTED0002&pwd=REDACTED0001")
        #expect(table.placeholders == ["REDACTED0001", "REDACTED0002"])
    }

    @Test func randomSecretIsReplacedWhereverItOccurs() throws {
        let secret = "q8Zt3kLw9Xv2/Rb7+Nc1Ym"
        let percent = secret.replacing("/", with: "%2F").replacing("+", with: "%2B")
        let base64 = Data(secret.utf8).base64EncodedString().replacing("=", with: "")
        let url = base64.replacing("+", with: "-").replacing("/", with: "_")
        for text in [
            secret, "x\(secret)x", percent, secret.replacing("/", with: #"\/"#), base64, url,
            secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "",
        ] {
            let entries = redact(
                entry("/?secret=\(percent)", body: "a \(text) b", response: secret))

            let body = String(decoding: entries.first?.request.body ?? Data(), as: UTF8.self)
            #expect(body == "a \(text.hasPrefix("x") ? "xREDACTED0001x" : "REDACTED0001") b")
            #expect(entries.first?.response.body == Data("REDACTED0001".utf8))
        }
    }

    /// A client sends the placeholder of a response again, so the request must have it too.
    @Test func secretOfAResponseIsReplacedInEachRequest() throws {
        let entries = redact(
            entry(response: #"{"access_token":"dev-token","secret":"a-b&c-key"}"#),
            entry(
                "https://h.example/dev%2Dtoken", body: #"{"t":"dev-token","n":"dev-tokens"}"#,
                response: "dev-token"), entry(body: "<k>a-b&amp;c-key</k>"))

        let second = try #require(entries.dropFirst().first)
        let third = try #require(entries.last)
        #expect(second.request.url.path() == "/REDACTED0001")
        #expect(second.request.body == Data(#"{"t":"REDACTED0001","n":"dev-tokens"}"#.utf8))
        #expect(second.response.body == Data("dev-token".utf8))
        #expect(third.request.body == Data("<k>REDACTED0002</k>".utf8))
    }

    @Test func longestSecretIsReplacedFirst() {
        let entries = redact(
            entry(
                "/?secret=\(Self.token)&pwd=\(Self.token)Zz9",
                body: "\(Self.token)Zz9 \(Self.token)"))

        #expect(entries.first?.request.body == Data("REDACTED0002 REDACTED0001".utf8))
    }

    @Test func otherSecretIsReplacedOnlyByName() {
        let entries = redact(
            entry(
                headers: [
                    "Cookie": "consent=accepted; visit=12345678", "Content-Type": "a/accepted",
                ],
                response: #"{"status":"accepted","accepted":1,"n":123456789012}"#))

        #expect(
            entries.first?.response.body
                == Data(#"{"status":"accepted","accepted":1,"n":123456789012}"#.utf8))
    }

    @Test func addedTextIsReplacedWhereverItIs() {
        let redaction = Redaction.secrets.adding(texts: ["correct horse"])
        let entries = redact(entry(response: "a correct horse b"), by: redaction)

        #expect(entries.first?.response.body == Data("a REDACTED0001 b".utf8))
    }

    @Test func passwordOfBasicCredentialsIsReplacedElsewhere() {
        let basic = Data("ada:\(Self.token)".utf8).base64EncodedString()
        let entries = redact(
            entry(headers: ["Authorization": "Basic \(basic)"], response: "hello \(Self.token)"))

        #expect(entries.first?.request.fields.first?.value == "Basic REDACTED0001")
        #expect(entries.first?.response.body == Data("hello REDACTED0001".utf8))
    }

    @Test func endOfASecretStays() {
        let end = String(Self.token.suffix(8))

        #expect(
            redact(entry("/?secret=\(Self.token)", body: end)).first?.request.body
                == Data(end.utf8))
    }

    @Test func plusInAFormIsASpace() {
        let entries = redact(
            entry(
                headers: ["Content-Type": "application/x-www-form-urlencoded"],
                body: "secret=a+b", response: #"{"secret":"a b"}"#))

        #expect(entries.first?.request.body == Data("secret=REDACTED0001".utf8))
        #expect(entries.first?.response.body == Data(#"{"secret":"REDACTED0001"}"#.utf8))
    }

    private static let tokenHeader = part(#"{"alg":"HS256","typ":"JWT","kid":"key-2026"}"#)

    private static func part(_ json: String) -> String {
        Data(json.utf8).base64EncodedString().replacing("=", with: "")
            .replacing("+", with: "-").replacing("/", with: "_")
    }

    /// Returns a response with a token that has the claims.
    private static func response(_ claims: String) -> String {
        #"{"access_token":"\#(tokenHeader).\#(part(claims)).c2lnLTlmOGU3ZDZjNWI0YTNmMmUx"}"#
    }

    /// Returns the token of a redacted response, and its claims.
    private static func decode<Claims: Decodable>(
        _ type: Claims.Type, of response: Data
    ) throws -> (token: String, claims: Claims) {
        let token = try #require(
            try JSONDecoder().decode([String: String].self, from: response)["access_token"])
        let parts = token.split(separator: ".")
        #expect(parts.first.map(String.init) == tokenHeader)
        #expect(parts.count == 3 && parts.last?.hasPrefix("REDACTED") == true)
        let base64 = try #require(parts[at: 1]).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
        let payload = try #require(Data(base64Encoded: base64 + padding))
        return (token, try JSONDecoder().decode(type, from: payload))
    }

    @Test func tokenKeepsOnlyTheClaimsThatAClientChecks() throws {
        let text = redacted(
            Self.response(
                #"{"iss":"https://h.example","aud":["a"],"scope":"read","exp":1769860800,"#
                    + #""email":"ada@h.example","sid":"\#(Self.uuid)","realm":{"roles":["admin"]},"#
                    + #""email_verified":true,"plan":{"seats":25}}"#)
        )

        #expect(
            try Self.decode(JSONValue.self, of: Data(text.utf8)).claims == [
                "iss": "https://h.example", "aud": ["a"], "scope": "read", "exp": 1_769_860_800,
                "email": "REDACTED0001", "sid": "00000000-0000-4000-8000-000000000003",
                "realm": ["roles": ["REDACTED0002"]], "email_verified": true,
                "plan": ["seats": 25],
            ])
    }

    @Test func claimHasOnePlaceholderWhereverItOccurs() throws {
        struct Claims: Decodable {
            let sub: String
        }
        let subject = "auth0|5f7c8ec7c33c6c004bbafe82"
        let login = Self.response(#"{"sub":"\#(subject)"}"#)
        let token = try JSONDecoder().decode([String: String].self, from: Data(login.utf8))
        let entries = redact(
            entry(response: login),
            entry(
                "https://h.example/users/auth0%7C5f7c8ec7c33c6c004bbafe82",
                headers: ["Authorization": "Bearer \(token["access_token"] ?? "")"],
                response: #"{"id":"\#(subject)"}"#))
        let first = try #require(entries.first)
        let (shown, claims) = try Self.decode(Claims.self, of: first.response.body)

        #expect(claims.sub.hasPrefix("REDACTED"))
        #expect(entries.last?.request.url.absoluteString == "https://h.example/users/\(claims.sub)")
        #expect(entries.last?.request.fields.first?.value == "Bearer \(shown)")
        #expect(entries.last?.response.body == Data(#"{"id":"\#(claims.sub)"}"#.utf8))
    }
}
