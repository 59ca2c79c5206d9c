import Foundation
import Testing

@testable import APIKit

/// The rule for names and values, tested with names of real services.
@Suite struct RedactionNameTests {
    static let secretHeaders = """
        Authorization Proxy-Authorization X-Authorization X-Forwarded-Authorization X-Auth X-Auth-Key
        X-Auth-Token X-Api-Key Api-Key X-API-Token X-Access-Token X-Amz-Security-Token
        X-Amz-Signature X-Goog-Api-Key X-Goog-IAP-JWT-Assertion Ocp-Apim-Subscription-Key
        X-Functions-Key X-Master-Key DD-API-KEY DD-APPLICATION-KEY X-CSRF-Token X-XSRF-TOKEN
        X-CSRFToken X-Vault-Token PRIVATE-TOKEN JOB-TOKEN X-Gitlab-Token X-Hub-Signature
        X-Hub-Signature-256 X-Shopify-Hmac-Sha256 X-Shopify-Access-Token X-Client-Secret
        X-Session-Token X-Session-Id Cookie Set-Cookie Cookie2 X-Twilio-Signature Stripe-Signature
        Circle-Token
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    /// Names that mean nothing else.
    static let secretNames = """
        access_token accessToken refresh_token id_token authToken user[password] password password2
        passwords new_password passwordConfirmation passwd pwd pass user_pass passcode otp otpCode
        totp PHPSESSID jsessionid ASP.NET_SessionId session_id sessionKey secret secrets client_secret
        clientSecret secretKey AWSAccessKeyId api_key apiKey APIKey apikey masterkey access_key
        private_key signing_key license_key signature oauth_signature oauth_token code_verifier
        oauth_verifier auth_code verification_code client_assertion assertion SAMLResponse jwt cvv
        recovery_codes reset_code activationCode one-time-code csrf_token csrfmiddlewaretoken
        passwort pw authenticity_token account_key app_key application_key authentication_token
        bearer_token encryption_key shared_key storage_key hmac_key seed_phrase auth_key functions_key
        security_token subscription_key cvn SMSCode
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    /// Names that may mean a secret.
    static let possibleNames = """
        token tokens key code session auth access refresh state nonce ticket credential credentials
        page[token] sid connect.sid laravel_session sig X-Amz-Credential next_page_token cart.key
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    static let otherHeaders = """
        Accept Accept-Encoding Accept-Language Access-Control-Allow-Credentials
        Access-Control-Allow-Headers Access-Control-Max-Age Age Allow Cache-Control Connection
        Content-Disposition Content-Length Content-Type Content-Range Date ETag Expires Host
        Idempotency-Key If-None-Match If-Modified-Since Keep-Alive Last-Modified Link Location Origin
        Proxy-Authenticate Range Referer Retry-After Sec-WebSocket-Key Server Surrogate-Key User-Agent
        Vary WWW-Authenticate X-Amz-Date X-Forwarded-For X-RateLimit-Remaining-Tokens X-Request-Id
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    static let otherNames = """
        country_code zip_code postal_code error_code status_code currencyCode code_challenge
        code_challenge_method author authors author_id authority authenticated keyword keywords
        keyboard monkey key_id keyName public_key primaryKey foreign_key sort_key cache_key passenger
        passage passport_country bypass compass pinned pinch spin opinion shipping inside design
        client_id scope redirect_uri grant_type response_type token_type expires_in
        token_expires_at token_endpoint tokenizer secretary session_count signed_headers username
        X-Amz-Algorithm X-Amz-Expires password_policy password_required api_key_count
        language_code object_key partition_key row_key translation_key
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    private let random = "q8Zt3kLw9Xv2Rb7Nc1Ym"

    private func query(_ name: String, _ value: String) -> Bool {
        Redaction.secrets.text(ofValue: "?\(name)=\(value)") == "?\(name)=***"
    }

    @Test(arguments: secretHeaders)
    func secretHeaderIsMasked(name: String) {
        for name in [name, name.lowercased(), name.uppercased()] {
            #expect(Redaction.secrets.text(ofHeader: name, "x") == "***")
        }
    }

    @Test(arguments: otherHeaders)
    func otherHeaderStaysVisible(name: String) {
        for name in [name, name.lowercased(), name.uppercased()] {
            #expect(Redaction.secrets.text(ofHeader: name, "x") == "x")
        }
    }

    @Test(arguments: secretNames)
    func valueOfSecretNameIsMasked(name: String) {
        #expect(query(name, "x") && query(name, random))
    }

    @Test(arguments: possibleNames)
    func valueOfPossibleNameIsMaskedIfItLooksRandom(name: String) {
        #expect(query(name, random))
        for value in [
            "EUR", "PROJ-1", "42", "open", "2026-01-31", "us-east-1", "gpt-4o-2024-08-06",
        ] {
            #expect(!query(name, value), "\(value)")
        }
    }

    @Test(arguments: otherNames)
    func valueOfOtherNameStaysVisible(name: String) {
        #expect(!query(name, "x") && !query(name, random))
    }

    @Test(arguments: [
        "af0ifjsldkj", "SplxlOBeZQQYbYS6WxSbIA", "n-0S6_WzA2Mj", "4/0AX4XfWhx9", "aB3xY9kQ",
        "00000000-0000-4000-8000-00000000000a", "5257a869e7ecebeda32affa62cdca3fa",
        "QmFzZTY0IGVuY29kZWQ=", "kzxwvbnmqtrplkjhgf",
    ])
    func randomTextLooksRandom(text: String) {
        #expect(ValueShape(Array(text.utf8)).isRandom)
    }

    @Test(arguments: [
        "", "abcdefgh", "administrator", "12345678901234567890", "2026-01-31T12:00:00.123Z",
        "P1DT2H3M",
        "application/json", "Mozilla/5.0", "v1.2.3-beta4", "userProfileSettingsPage", "en-US",
        "arn:aws:iam::123456789012:role/Admin", "photos/2024/img_1234.jpg", "ada99x@example.com",
        "https://h.example/q8Zt3kLw9Xv2", "rbac.authorization.k8s.io/v1beta1", "iPhone15,2",
        "client_secret_basic", "the token of a user", "REFRESH_TOKEN_AUTH",
        "a1b2c3d4e5f6@example.com",
    ])
    func wordsDatesAndCodesDoNotLookRandom(text: String) {
        #expect(!ValueShape(Array(text.utf8)).isRandom)
    }

    @Test(arguments: ["user_id", "userId", "USER-ID", "userID"])
    func addedNameMatchesAllItsSpellings(name: String) {
        let redaction = Redaction.nothing.adding(values: ["user_id"])

        #expect(redaction.text(ofValue: "?\(name)=x") == "?\(name)=***")
    }

    @Test func ruleOfAddedNamesMasksNothingElse() {
        let known = "ghp" + "_" + String(repeating: "a1", count: 18)
        let text = "https://u:p@h/?email=x&password=y&v=\(known) le chat"

        let byName = Redaction.nothing.adding(values: ["email"])
        #expect(byName.text(ofValue: text) == text.replacing("email=x", with: "email=***"))
        let byText = Redaction.nothing.adding(texts: ["le chat"])
        #expect(byText.text(ofValue: text) == text.replacing("le chat", with: "***"))
        let byHeader = Redaction.nothing.adding(headers: ["X-A"])
        #expect(byHeader.text(ofHeader: "x-a", "b") == "***")
        #expect(byHeader.text(ofHeader: "Cookie", "a=b") == "a=b")
        #expect(byHeader.text(ofValue: text) == text)
    }

    @Test func addedNameMasksEveryMember() {
        let redaction = Redaction.secrets.adding(values: ["address"])

        let shown = redaction.text(ofValue: #"{"address":{"city":"Paris","lines":["a"]},"n":"b"}"#)
        #expect(shown == #"{"address":{"city":"***","lines":["***"]},"n":"b"}"#)
    }

    @Test func wordOfAPINIsVisible() {
        #expect(!query("pin", "red") && query("pin", "1234"))
    }

    @Test func excludedCookieStaysVisible() {
        let redaction = Redaction.secrets.excluding(values: ["Cookie"])

        #expect(redaction.text(ofHeader: "Cookie", "theme=dark") == "theme=dark")
    }

    @Test(arguments: [
        "Bearer", "Basic", "Token", "Negotiate", "NTLM", "ApiKey", "DPoP", "JWT", "Key", "Bot",
    ])
    func schemeStaysVisible(scheme: String) {
        #expect(
            Redaction.secrets.text(ofHeader: "X-Authorization", "\(scheme) x") == "\(scheme) ***")
    }

    @Test func combiningMarkDoesNotHideSecretName() {
        #expect(Redaction.secrets.text(ofValue: "\u{301}password\u{301}=x").hasSuffix("=***"))
    }

    @Test func addedTextIsMaskedAnywhere() {
        let redaction = Redaction.secrets.adding(texts: ["", "le chat", "le chat noir"])

        #expect(redaction.text(ofValue: "see le chat noir, le chat") == "see ***, ***")
        #expect(redaction.text(ofHeader: "X-A", "le%20chat") == "***")
        #expect(redaction.text(ofValue: "a") == "a")
    }

    @Test func excludedNameIsMaskedOnlyByItsText() {
        let redaction = Redaction.secrets.excluding(values: ["page_token", "api_key"])
        let known = "ghp" + "_" + String(repeating: "a1", count: 18)

        #expect(redaction.text(ofValue: "?pageToken=\(random)") == "?pageToken=\(random)")
        #expect(redaction.text(ofValue: "{\"apiKey\":\"x\"}") == "{\"apiKey\":\"x\"}")
        #expect(redaction.text(ofHeader: "Api-Key", "x") == "x")
        #expect(redaction.text(ofValue: "?api_key=\(known)") == "?api_key=***")
    }
}
