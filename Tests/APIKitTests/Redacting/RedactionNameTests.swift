import Foundation
import Testing

@testable import APIKit

/// The rule for secret names, tested with headers and parameters of real services.
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

    static let secretParameters = """
        token access_token accessToken refresh_token id_token authToken page[token]
        user[password] password password2 new_password passwordConfirmation passwd pwd pass user_pass
        passcode pin otp otpCode totp sid connect.sid PHPSESSID jsessionid
        ASP.NET_SessionId session laravel_session session_id sessionKey secret client_secret
        clientSecret secretKey AWSAccessKeyId api_key apiKey APIKey apikey
        appkey.key access_key private_key signing_key license_key key sig signature
        X-Amz-Credential oauth_signature oauth_token code_verifier oauth_verifier code auth_code
        """.split(whereSeparator: \.isWhitespace).map(String.init)
        + ["verification_code", "client_assertion", "assertion", "SAMLResponse", "jwt", "cvv"]

    static let visibleHeaders = """
        Accept Accept-Encoding Accept-Language Access-Control-Allow-Credentials
        Access-Control-Allow-Headers Access-Control-Max-Age Age Allow Cache-Control Connection
        Content-Disposition Content-Length Content-Type Content-Range Date ETag Expires Host
        Idempotency-Key If-None-Match If-Modified-Since Keep-Alive Last-Modified Link Location Origin
        Proxy-Authenticate Range Referer Retry-After Sec-WebSocket-Key Server Surrogate-Key User-Agent
        Vary WWW-Authenticate X-Amz-Date X-Forwarded-For X-RateLimit-Remaining X-Request-Id
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    static let visibleParameters = """
        country_code zip_code postal_code error_code status_code currencyCode qr_code promo_code
        code_challenge code_challenge_method author authors author_id authority authenticated keyword
        keywords keyboard monkey key_id keyName public_key primaryKey foreign_key sort_key cache_key
        passenger passengers passage passport_country bypass compass pinned pinch spin opinion
        shipping inside design client_id state scope redirect_uri grant_type response_type
        token_type expires_in token_expires_at token_endpoint
        max_tokens prompt_tokens totalTokens tokenizer secretary
        """.split(whereSeparator: \.isWhitespace).map(String.init)
        + [
            "sessions", "session_count", "signed_headers", "username", "X-Amz-Algorithm",
            "X-Amz-Expires",
        ]

    @Test func tableHasTwoHundredNames() {
        #expect(Set(Self.secretHeaders + Self.secretParameters).count == 100)
        #expect(Set(Self.visibleHeaders + Self.visibleParameters).count == 100)
    }

    @Test(arguments: secretHeaders)
    func secretHeaderIsMasked(name: String) {
        for name in [name, name.lowercased(), name.uppercased()] {
            #expect(Redaction.secrets.text(ofHeader: name, "x") == "***")
        }
    }

    @Test(arguments: secretParameters)
    func secretParameterIsMasked(name: String) {
        #expect(Redaction.secrets.text(ofQuery: "\(name)=x") == "\(name)=***")
    }

    @Test(arguments: visibleHeaders)
    func otherHeaderStaysVisible(name: String) {
        for name in [name, name.lowercased(), name.uppercased()] {
            #expect(Redaction.secrets.text(ofHeader: name, "x") == "x")
        }
    }

    @Test(arguments: visibleParameters)
    func otherParameterStaysVisible(name: String) {
        #expect(Redaction.secrets.text(ofQuery: "\(name)=x") == "\(name)=x")
        #expect(
            Redaction.secrets.body(Data(#"{"\#(name)":1}"#.utf8), contentType: nil)
                == Data(#"{"\#(name)":1}"#.utf8))
    }

    @Test(arguments: ["user_id", "userId", "USER-ID", "userID", "user id"])
    func addedNameMatchesAllItsSpellings(name: String) {
        let redaction = Redaction.nothing.adding(values: ["user_id"])

        #expect(redaction.text(ofQuery: "\(name)=x") == "\(name)=***")
    }

    @Test func combiningMarkDoesNotHideSecretName() {
        #expect(Redaction.secrets.text(ofQuery: "\u{301}token\u{301}=x").hasSuffix("=***"))
    }
}
