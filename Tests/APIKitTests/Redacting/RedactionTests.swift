import APIKit
import Foundation
import Testing

@Suite struct RedactionTests {
    @Test(arguments: [
        ("https://h.example/?token=x", "https://h.example/?token=***"),
        ("https://h.example/?access_token=x&page=2", "https://h.example/?access_token=***&page=2"),
        ("https://h.example/?page=2&API-Key=x#top", "https://h.example/?page=2&API-Key=***#top"),
        ("https://h.example/?key=a=b", "https://h.example/?key=***"),
        ("https://h.example/?token=x&token=y", "https://h.example/?token=***&token=***"),
        ("https://h.example/?api%5Fkey=x", "https://h.example/?api%5Fkey=***"),
        ("https://h.example/?user%5Bpassword%5D=x", "https://h.example/?user%5Bpassword%5D=***"),
        ("https://h.example/?token%FF=x", "https://h.example/?token%FF=***"),
        ("https://user:x@h.example/dogs", "https://***@h.example/dogs"),
        ("https://token@h.example/dogs", "https://***@h.example/dogs"),
        ("https://h.example/#access_token=x&n=1", "https://h.example/#access_token=***&n=1"),
        ("https://user:x@h.example/?sig=x", "https://***@h.example/?sig=***"),
        (
            "https://h.example/a;jsessionid=x/b;v=1?c=d",
            "https://h.example/a;jsessionid=***/b;v=1?c=d"
        ),
        ("https://h.example/a;JSESSIONID=x", "https://h.example/a;JSESSIONID=***"),
        ("https://h.example/?a=1;token=x", "https://h.example/?a=1;token=***"),
        ("https://h.example/?to=/b?code=x", "https://h.example/?to=/b?code=***"),
        (
            "https://h.example/?to=https%3A%2F%2Fada:x%40h%2F%3Fcode%3Dx",
            "https://h.example/?to=https%3A%2F%2F%2A%2A%2A%40h%2F%3Fcode%3D%2A%2A%2A"
        ),
        (
            "https://h.example/?filter=%7B%22token%22:%22x%22%7D",
            "https://h.example/?filter=%7B%22token%22%3A%22%2A%2A%2A%22%7D"
        ),
        ("https://h.example/#/login?code=x&a=b", "https://h.example/#/login?code=***&a=b"),
        ("/dogs?secret=x", "/dogs?secret=***"),
        ("?secret=x", "?secret=***"),
    ])
    func secretsInURLAreMasked(url: String, text: String) throws {
        #expect(try Redaction.text(of: .make(url)) == text)
    }

    @Test(arguments: [
        "https://h.example", "https://h.example/?page=2&q=a%20b&&empty=&flag", "/dogs/token",
        "https://h.example/?token", "https://h.example/@dogs?keyboard=qwerty",
        "https://h.example/#token", "https://h.example/?", "dogs",
    ])
    func otherPartsOfURLAreUnchanged(url: String) throws {
        #expect(try Redaction.text(of: .make(url)) == url)
    }

    @Test func relativeURLIsResolvedAndMasked() throws {
        let url = try #require(
            URL(string: "dogs?token=x", relativeTo: .make("https://h.example/v1/")))

        #expect(Redaction.text(of: url) == "https://h.example/v1/dogs?token=***")
    }

    @Test(arguments: [
        "key", "KEY", "sig", "auth", "authorization", "pwd", "passwd", "jwt", "session",
        "session_id", "token", "accessToken", "refresh-token", "client_secret", "password",
        "new_password", "apikey", "api_key", "access_key", "privateKey", "session-key",
        "passphrase", "X-Amz-Signature", "X-Amz-Credential",
    ])
    func valueOfSecretNameIsHidden(name: String) {
        #expect(Redaction.hidesValue(named: name))
    }

    @Test(arguments: ["", "keyboard", "sign", "author", "page", "monkey", "sessions", "user"])
    func valueOfOtherNameIsShown(name: String) {
        #expect(!Redaction.hidesValue(named: name))
    }

    @Test(arguments: [
        "Authorization", "authorization", "Proxy-Authorization", "Cookie", "Set-Cookie",
        "X-API-Key", "X-Auth-Token", "X-Client-Secret",
    ])
    func secretHeaderIsHidden(name: String) {
        #expect(Redaction.hidesHeader(name))
    }

    @Test(arguments: ["Accept", "Content-Type", "ETag", "WWW-Authenticate", "X-Request-ID"])
    func otherHeaderIsShown(name: String) {
        #expect(!Redaction.hidesHeader(name))
    }

    @Test(arguments: [
        "https://a/,https://u:p@b/", "https://a/x;https://u:p@b/", "https:////u:p@b/",
        "'https://u:p@b/'",
    ])
    func userOfEveryURLInTextIsMasked(text: String) {
        let masked = text.replacing("u:p@", with: "***@")

        #expect(Redaction.secrets.text(ofValue: text) == masked)
    }

    @Test func deeplyNestedValueIsMasked() {
        let text = String(repeating: "?a=", count: 50_000) + "?token=x"

        #expect(!Redaction.secrets.text(ofValue: text).contains("token"))
    }

    @Test func encodingErrorIsDescribedWithoutItsValue() {
        let context = EncodingError.Context(codingPath: [], debugDescription: "s3cr3t is long")
        let error = APIError(.transport, underlying: EncodingError.invalidValue("s3cr3t", context))

        #expect(error.description == "The request failed: the top level cannot be encoded.")
    }
}
