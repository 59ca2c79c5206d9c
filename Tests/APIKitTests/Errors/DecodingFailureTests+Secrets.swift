import Foundation
import Testing

extension DecodingFailureTests {
    @Test(
        arguments: [
            ("hunter2", "text/plain"),
            ("<p>Your password: hunter2</p>", "text/html"),
            ("access_token=hunter2&scope=all of it", "application/x-www-form-urlencoded"),
            ("see https://ada:hunter2@h.example/?secret=hunter2", "text/plain"),
            ("<a href=https://h.example/?secret=hunter2>", nil),
            (#"{"password":"hunter2""#, "application/json"),
            (#"[{"name":"hunter2"} oops]"#, "text/plain"),
            (#""hunter2"#, nil),
        ] as [(String, String?)])
    func secretInBodyThatIsNotJSONIsHidden(body: String, type: String?) throws {
        let found = try reason(
            decoding: Dog.self, from: Data(body.utf8), status: 200, contentType: type)

        #expect(!found.contains("hunter2"))
        #expect(found.contains("JSON"))
    }

    @Test(
        arguments: [
            (#"{"pin":"S3CRET"}"#, "pin is not valid."),
            (#"{"keys":{"apiKey":"S3CRET"}}"#, "keys.apiKey is not valid."),
            (#"{"pin":123456}"#, "pin: expected String, found another type."),
            (#"{"kind":123456}"#, "kind: expected String, found another type."),
            (#"{"isSecret":"S3CRET"}"#, "isSecret: expected Bool, found another type."),
            (#"{"tokens":{"S3CRET":{}}}"#, "tokens.***: expected String, found another type."),
            (#"{"tokens":{"S3CRET":"big"}}"#, "tokens.*** is not valid."),
            (
                #"{"keys":{"\#(String(repeating: "S3CRET", count: 7))":true}}"#,
                "keys.***: expected String, found another type."
            ),
            (
                #"{"keys":{"https://h.example/?secret=S3CRET":1}}"#,
                "keys.https://h.example/?secret=***: expected String, found another type."
            ),
            (#"{"keys":{"a\nb":1}}"#, "keys.a b: expected String, found another type."),
            (
                #"{"keys":{"\#(String(repeating: "k", count: 40))":1}}"#,
                "keys.\(String(repeating: "k", count: 40)): expected String, found another type."
            ),
            (
                #"{"kind":"https://ada:S3CRET@h.example/?pwd=S3CRET"}"#,
                """
                kind is not valid: Cannot initialize Kind from invalid String value \
                https://***@h.example/?pwd=***
                """
            ),
            (
                #"{"kind":"big"}"#,
                "kind is not valid: Cannot initialize Kind from invalid String value big."
            ),
        ])
    func secretValueIsHidden(body: String, reason: String) throws {
        #expect(try self.reason(decoding: Account.self, from: Data(body.utf8)) == reason)
    }
}

private struct Account: Decodable {
    enum Kind: String, Decodable {
        case small = "S", large = "L"
    }

    var pin: Kind?
    var kind: Kind?
    var keys: [String: Kind]?
    var tokens: [String: Kind]?
    var isSecret: Bool?
}
