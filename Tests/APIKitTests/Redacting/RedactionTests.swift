import Foundation
import Testing

@testable import APIKit

@Suite(.inTurn) struct RedactionTests {
    static let random = "q8Zt3kLw9Xv2Rb7Nc1Ym"

    /// Masks a text, or a body of a type.
    func masked(_ text: String, type: String? = nil, by rule: Redaction = .secrets)
        -> String
    {
        let body = rule.body(Data(text.utf8), contentType: type)
        return String(decoding: body, as: UTF8.self)
    }

    // MARK: Names

    private static let secretHeaders = """
        Authorization Proxy-Authorization X-Authorization X-Auth X-Auth-Key X-Auth-Token X-Api-Key
        Api-Key X-API-Token X-Access-Token X-Amz-Security-Token X-Goog-Api-Key X-Functions-Key
        X-Goog-IAP-JWT-Assertion Ocp-Apim-Subscription-Key DD-API-KEY X-CSRF-Token X-XSRF-TOKEN
        X-CSRFToken X-Vault-Token PRIVATE-TOKEN JOB-TOKEN X-Gitlab-Token X-Hub-Signature-256
        X-Shopify-Hmac-Sha256 X-Client-Secret X-Session-Id Cookie Set-Cookie Cookie2
        Stripe-Signature
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    private static let otherHeaders = """
        Accept Access-Control-Allow-Credentials Access-Control-Max-Age Cache-Control Connection
        Content-Length Content-Type Date ETag Host Idempotency-Key If-None-Match Link Location
        Origin Proxy-Authenticate Range Retry-After Sec-WebSocket-Key Surrogate-Key User-Agent Vary
        WWW-Authenticate X-Country-Code X-RateLimit-Remaining-Tokens X-Request-Id
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    @Test(arguments: secretHeaders + otherHeaders) func onlySecretHeaderIsMasked(name: String) {
        let isSecret = Self.secretHeaders.contains(name)
        for name in [name, name.lowercased(), name.uppercased()] {
            #expect(Redaction.hidesHeader(name) == isSecret)
            #expect(Redaction.secrets.masked(header: name, "x") == (isSecret ? "***" : "x"))
        }
    }

    @Test(arguments: [
        ("password", true), ("newPasswords", true), ("db_pwd", true), ("dbpass", false),
        ("token", true), ("userTokens", true), ("code", false), ("keys", false), ("monkey", true),
        ("author", false), ("password_policy", false), ("publicKey", false), ("secret_id", true),
        ("x_pw_old", true), ("pas", false),
    ])
    func nameDecidesWhetherADescriptionHidesItsValue(name: String, isHidden: Bool) {
        #expect(Redaction.hidesValue(named: name) == isHidden)
    }

    @Test(arguments: [
        "SplxlOBeZQQYbYS6WxSbIA", "00000000-0000-4000-8000-00000000000a", "4/0AX4XfWhx9aB3x",
        "5257a869e7ecebeda32affa62cdca3fa", "QmFzZTY0IGVuY29kZWQ=", "kzxwvbnmqtrplkjhgf",
        "JBSWY3DPEHPK3PXP",
    ])
    func randomTextLooksRandom(text: String) {
        #expect(TextShape(text).isRandom())
    }

    @Test(arguments: [
        "", "abcdefgh", "administrator", "12345678901234567890", "2026-01-31T12:00:00.123Z",
        "20260131T120000Z", "application/json", "userProfileSettingsPage",
        "photos/2024/img_1234.jpg",
        "arn:aws:iam::123456789012:role/Admin", "https://h.example/q8Zt3kLw9Xv2", "HTTPS_REQUIRED",
        "rbac.authorization.k8s.io/v1beta1", "client_secret_basic", "a1b2c3d4e5f6@example.com",
        "Mozilla/5.0 (Macintosh)",
    ])
    func wordsDatesAndCodesDoNotLookRandom(text: String) {
        #expect(!TextShape(text).isRandom())
    }

    @Test func eightCharactersSufficeIfDemanded() {
        #expect(TextShape("a1B2c3D4").isRandom(from: 8) && !TextShape("a1B2c3D4").isRandom())
    }

    // MARK: Places. The secrets stand between ⟦ and ⟧.

    private func expectMask(_ marked: String, type: String? = nil) {
        let value = marked.replacing("⟦", with: "").replacing("⟧", with: "")
        let expected = marked.replacing(/⟦.*?(⟧|$)/.dotMatchesNewlines(), with: "***")

        #expect(masked(value, type: type) == expected)
        #expect(masked(expected, type: type) == expected)
    }

    @Test(arguments: [
        // URLs
        "https://h.example/?pwd=⟦a=b⟧&pwd=⟦y⟧&API-Key=⟦x⟧#top", "/dogs?secret=⟦x⟧",
        "?api%5Fkey=⟦x,y⟧",
        "https://a/,https://⟦u:p⟧@b/", "https:////⟦u:p⟧@b/", "'https://⟦u:p⟧@b/?pwd=⟦x⟧'",
        "https://h.example/?to=https%3A%2F%2F⟦ada:x⟧%40h%2F%3Fpwd%3D⟦x⟧%26a%3Db&page=2",
        "https://h.example/?page=2&q=a%20b&&empty=&flag&token=short", "/@dogs?keyboard=qwerty",
        // JSON
        #"{ "a" : [ {"password" : "⟦x\"y⟧"}, 1.50 ], "é":"\u00e9" }"#,
        #"{"a":"{\"b\":\"{\\\"secret\\\":\\\"⟦x⟧\\\",\\\"n\\\":1}\"}"}"#,
        #"{"a":"{\"secret\":\"⟦x"#, #"{"a":1,"pass"#, #"{"password":"⟦x⟧","n":{"#,
        #"{"password":""#,
        #"{"password":{"value":"⟦x⟧","min":8,"type":"text"},"secrets":["⟦a⟧","⟦b⟧"],"pwd":null}"#,
        #"{"error":{"password":["must have 8 characters"]},"secret":true,"pin":"2026-01-31"}"#,
        #"[{"name":"DB_PASSWORD","value":"⟦x⟧"},{"key":"region","value":"eu"}]"#,
        #"{"signature":"2026-01-31T12:00:00Z","secret":"https://h.example/?pwd=⟦x⟧&page=2"}"#,
        #"{"key":"-----BEGIN PRIVATE KEY-----\n⟦MIIE\nBKc⟧\n-----END PRIVATE KEY-----\n"}"#,
        #"{"pass":"⟦hunter2⟧","passes":"two","pass":true,"Pass":1}"#,
        #"{"boarding_pass":"A1","passenger":"Ada","bypass":"no","pass_rate":"high"}"#,
        #"{"credentials":["⟦ada⟧","⟦hunter2⟧"],"ticket_number":"4711","tickets":["A-1"]}"#,
        #"{"awsCredentials":[["⟦a⟧"]],"credentials":{"type":"basic","user":"ada"}}"#,
        #"{"credentials":"include"}"#,
        "/cas/validate?service=a&ticket=⟦ST-1856339-aA5Yuvrxzpv8Tau1cYQ7⟧&pass=⟦x⟧",
        // Other text
        "event: a\ndata: {\"access_token\":[\"⟦x⟧\",\"⟦y⟧\"],\"pins\":[1,2]}\n\ndata: [DONE]\n\n",
        "password: ⟦correct horse⟧\nport: 80", "  - api_key=⟦x⟧\n", "password = read()\n${SECRET}",
        "<wsse:Password>⟦a b⟧</wsse:Password><a href='/password'>Forgot?</a>",
        "arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/app", "it's a secret: really",
    ])
    func secretsInTextAreMasked(text: String) {
        // A certain name masks the word after a colon, even in a sentence.
        expectMask(text.replacing("secret: really", with: "secret: ⟦really⟧"))
    }

    @Test(arguments: [
        "--b\r\nA: b\r\n\r\n1\r\n--b--\r\n{\"pwd\":\"⟦x⟧\"}",
        "--b\r\nA: b\r\n\r\n1\r\n--b--\r\n\r\npassword=⟦x⟧",
        "{\"pwd\":\"⟦x⟧\"}\r\n--b\r\nA: b\r\n\r\n1\r\n--b--",
        "--b\r\npassword=⟦x⟧\r\n--b\r\n--b\r\nA: b\r\n\r\npassword=⟦x⟧\r\n--b--\r\n",
        "{\"pwd\":\"⟦x⟧\"}", "--bc\r\n\r\npassword=⟦x⟧", "--b--", "--b",
    ])
    func secretsOutsideOfPartsAreMasked(text: String) {
        expectMask(text, type: "multipart/form-data; boundary=b")
    }

    @Test func secretsInPartsAreMasked() {
        let type = "multipart/form-data; charset=utf-8; boundary=\"a b:c\""
        let start = "--a b:c\r\nContent-Disposition: form-data; name="
        expectMask(
            "\(start)\"password\"\r\n\r\n⟦x\r\ny⟧\r\n\(start)\"n\"\r\n\r\n1\r\n--a b:c--\r\n",
            type: type)
        expectMask(
            "\(start)\"n\"\r\nContent-Type: application/json\r\n\r\n{\"pwd\":\"⟦x⟧\"}\r\n--a b:c--",
            type: type)
        expectMask(
            "\(start)\"secret\"; filename=\"a.txt\"\r\n\r\njust text\r\n--a b:c--", type: type)
        expectMask("\(start)\"secret\"\r\n\r\n⟦cut", type: type)
        expectMask("--a b:c\r\n--a b:c--\r\n", type: type)
    }

    @Test(arguments: [
        (
            "a=1&pwd=⟦a%26b+c⟧&user%5Bpassword%5D=⟦it's;here⟧&n=a+b",
            "application/x-www-form-urlencoded"
        ),
        ("\0password=x", "text/plain"), ("password=x\0", nil),
    ])
    func secretsInBodyAreMasked(body: String, type: String?) {
        expectMask(body, type: type)
    }

    @Test func secretsInTextOfAnotherCharsetAreMasked() {
        let start = Data("n=".utf8) + [0xE9]
        let body = start + Data("&password=x".utf8)

        let shown = Redaction.secrets.body(body, contentType: "application/x-www-form-urlencoded")
        #expect(shown == start + Data("&password=***".utf8))
        #expect(Redaction.secrets.body(body, contentType: "image/png") == body)
    }

    @Test(arguments: [
        (
            "Authorization",
            "Digest username=\"ada\", realm=\"api\", nonce=\"⟦dcd98b7102dd2f0e8b11d0f6⟧\", qop=auth, "
                + "response=\"⟦6629fae49393a05397450978507c4ef1⟧\""
        ),
        ("Authorization", "Basic ⟦YWRhOng=⟧"), ("Authorization", "⟦abc⟧"),
        ("X-Auth-Token", "Bearer ⟦x⟧"),
        ("Cookie", "a=⟦b⟧; c=⟦d=e⟧;"), ("Cookie", "⟦b⟧"),
        (
            "Set-Cookie",
            "a=⟦b⟧; Expires=Sat, 30 Jan 2027 12:00:00 GMT; Path=/, u[t]=⟦c⟧; Secure, d="
        ),
        ("Link", "<https://⟦u:p⟧@h/?pwd=⟦x⟧&page=2>; rel=\"next\""), ("X-A", "{\"pwd\":\"⟦x⟧\"}"),
        ("WWW-Authenticate", "Bearer realm=\"api\", error=\"invalid_token\""),
    ])
    func secretsInHeaderAreMasked(name: String, marked: String) {
        let value = marked.replacing("⟦", with: "").replacing("⟧", with: "")

        let shown = Redaction.secrets.masked(header: name, value)
        #expect(shown == marked.replacing(/⟦.*?⟧/, with: "***"))
    }

    @Test func closureReceivesSecretsWithTheirNames() {
        var found: [String] = []
        let text =
            #"{"pin":1234,"token":"a b\#(Self.random)","pwd":"x\"y","url":"?key=%41\#(Self.random)"}"#
        let replaced = Redaction.secrets.replacingSecrets(in: text) { secret, name in
            found.append("\(name) \(secret)")
            return name == "pin" ? "5678" : "+\""
        }

        #expect(found == ["pin 1234", "pwd x\"y", "key A\(Self.random)"])
        #expect(
            replaced
                == text.replacing("1234", with: "5678").replacing(#"x\"y"#, with: #"+\""#)
                .replacing("%41\(Self.random)", with: "%2B%22"))
        let value = Redaction.secrets.replacingSecrets(in: "?a", as: .value(named: "pwd")) {
            "\($0)\($1)"
        }
        #expect(value == "?apwd")
    }

    // MARK: Laws

    /// Only secrets contain an `S` or a `9`.
    @Test(arguments: [
        (#"{"a":[{"password" : "SSS\"9"},1],"api_key":"9SS"}"#, "a"),
        (#"{"a":"{\"secret\":\"SSS\",\"b\":1}","otp":99999,"pwd":999}"#, "b"),
        ("password: SSS\napi_key=99\n<secret>SSS</secret>", "api_key"),
    ])
    func textCutAnywhereShowsNoSecret(text: String, visible: String) {
        #expect(masked(text).contains(visible))
        for end in text.indices + [text.endIndex] {
            let shown = masked(String(text[..<end]))

            // One or two digits of a number can be a count.
            #expect(!shown.contains("S") && !shown.contains("999"), "\(text[..<end])")
        }
    }

    @Test func urlShowsNoSecret() {
        var random = SeededGenerator(seed: 3)
        let starts = ["https://h.example", "", "/", "//", "h:1", "http://user:SSS@h", "http://["]
        let parts = ["a", "/", "//", "é", "[", "]", "%", "%2", "@", ":", "|", "^", ";"]
        let items = ["a=b", "password=SSS", "secret=S%53S=S", "", "%=", "a[b]=c"]
        for _ in 0..<Stress.count(2_000) {
            var text =
                (starts.randomElement(using: &random) ?? "") + .random(of: parts, using: &random)
            for mark in ["?", "#"] where Bool.random(using: &random) {
                let chosen = (0..<3).map { _ in items.randomElement(using: &random) ?? "" }
                text += mark + chosen.joined(separator: "&")
            }

            let shown = Redaction.secrets.masked(text)
            #expect(!shown.contains("S"), "\(text)")
            #expect(shown.contains("a=b") || !text.contains("a=b"), "\(text)")
            #expect(Redaction.secrets.masked(shown) == shown)
        }
    }

    // Linear time: with quadratic time, these texts would take minutes under stress.
    @Test(arguments: [
        "=", "@", "a=", "token=", "token:", "token='", "token=\"\\", "token=\\\"", "//u:p@", "//",
        "%25",
        "a=%61=", "?a=%3Fa%3D", "<a>", "<token>", "\\", "{\"a\":\"", "{\"a\":", "[", "[\n",
        "data: {", "<token><!--", "<a b=\"", "<a b='>",
        "eyJ", "-----BEGIN RSA PRIVATE KEY-----", "Bearer ", "--b\r\n", "sk-", "x-api-key ",
    ])
    func secretAfterALongTextIsMasked(piece: String) {
        let text = String(
            repeating: piece, count: (Stress.isFull ? 200_000 : 1_000) / piece.utf8.count)

        let shown = masked("\(text)\n/?api_key=xyz")

        #expect(!shown.contains("xyz"))
        #expect(shown.hasSuffix("***") || piece.hasPrefix("--"))
        #expect(masked(text, type: "multipart/mixed; boundary=b").count > 10)
    }

    @Test func encodingErrorIsDescribedWithoutItsValue() {
        let context = EncodingError.Context(codingPath: [], debugDescription: "s3cr3t is long")
        let error = APIError(.transport, underlying: EncodingError.invalidValue("s3cr3t", context))

        #expect(error.description == "The request failed: the top level cannot be encoded.")
    }
}
