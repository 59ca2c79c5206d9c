import APIKit
import Foundation
import Testing

@testable import APIKit

@Suite struct RedactionBodyTests {
    @Test(arguments: [
        (#"{"token":"x","id":1}"#, #"{"token":"***","id":1}"#),
        (#"{"id" : 1.50, "key" :  "x" }"#, #"{"id" : 1.50, "key" :  "***" }"#),
        (
            #"{"a":{"password":"x"},"b":[{"secret":"y"}]}"#,
            #"{"a":{"password":"***"},"b":[{"secret":"***"}]}"#
        ),
        (#"{"tokens":["x",{"a":"]"}],"b":1}"#, #"{"tokens":"***","b":1}"#),
        (#"{"credentials":{"a":{"b":"}"}},"b":1}"#, #"{"credentials":"***","b":1}"#),
        (#"{"key":-1.5e3,"b":true}"#, #"{"key":"***","b":true}"#),
        ("{\"key\":7\n}", "{\"key\":\"***\"\n}"), (#"{"key":7}"#, #"{"key":"***"}"#),
        (#"[{"key":"a\"b"}]"#, #"[{"key":"***"}]"#), (#"{"key":"a\\"}"#, #"{"key":"***"}"#),
        (#"{"t\u006Fken":"x"}"#, #"{"t\u006Fken":"***"}"#),
        (#"{"to\ken":"x","token\q":"x"}"#, #"{"to\ken":"***","token\q":"***"}"#),
        ("{\"key\":\"x\"}\n{\"key\":\"y\"}\n", "{\"key\":\"***\"}\n{\"key\":\"***\"}\n"),
        // Cut off.
        (#"{"token":"x"#, #"{"token":"***""#), (#"{"token":"x\"#, #"{"token":"***""#),
        (#"{"token":{"a":["#, #"{"token":"***""#), (#"{"token":"#, #"{"token":"#),
        (#"{"token"#, #"{"token"#), (#"{"token""#, #"{"token""#),
        (#"{"token":12"#, #"{"token":"***""#),
        // Broken.
        (#"{"token":}"#, #"{"token":"***"}"#), (#"{"token":,"b":1}"#, #"{"token":"***","b":1}"#),
        (#"{"token":]"#, #"{"token":"***"]"#),
    ])
    func membersOfJSONAreMasked(json: String, text: String) {
        #expect(masked(json) == text)
        #expect(masked("\n " + json, contentType: "application/json") == "\n " + text)
    }

    @Test(arguments: [
        (#"{"a":"{\"token\":\"x\",\"b\":1}"}"#, #"{"a":"{\"token\":\"***\",\"b\":1}"}"#),
        (#"["{\"token\":\"x\"}"]"#, #"["{\"token\":\"***\"}"]"#),
        (
            #"{"a":"{\"b\":\"[{\\\"token\\\":1}]\"}"}"#,
            #"{"a":"{\"b\":\"[{\\\"token\\\":\\\"***\\\"}]\"}"}"#
        ),
        (
            #"{"next":"https://ada:x@h.example/a;jsessionid=x?code=x&page=2"}"#,
            #"{"next":"https://***@h.example/a;jsessionid=***?code=***&page=2"}"#
        ),
        (#"{"next":"https:\/\/h.example\/?token=x"}"#, #"{"next":"https://h.example/?token=***"}"#),
        (#"{"next":"see </?key=x> and /?sig=y"}"#, #"{"next":"see </?key=***> and /?sig=***"}"#),
        (
            #"{"a":"{\"url\":\"https://h.example/?token=x\"}"}"#,
            #"{"a":"{\"url\":\"https://h.example/?token=***\"}"}"#
        ),
        (#"{"a":"/?next=%2Fb%3Ftoken%3Dx"}"#, #"{"a":"/?next=%2Fb%3Ftoken%3D%2A%2A%2A"}"#),
        // Cut off.
        (#"{"next":"https://h.example/?token=x"#, #"{"next":"https://h.example/?token=***""#),
        (#"{"a":"{\"token\":\"x"#, #"{"a":"{\"token\":\"***\"""#),
        (#"{"a":"{\"token\":\"x\"#, #"{"a":"***""#),
        ("{\"a\":\"\\\"{token x\n\"}", #"{"a":"***"}"#),
        // A code is an error in JSON, and an authorization code in a URL.
        (#"{"code":404,"url":"/?code=x"}"#, #"{"code":404,"url":"/?code=***"}"#),
    ])
    func secretsInStringsOfJSONAreMasked(json: String, text: String) {
        #expect(masked(json) == text)
    }

    @Test(arguments: [
        #"{"a":"{\"b\": 1,\"c\":\"\\u00e9\"}"}"#, #"{"a":"https:\/\/h.example\/?page=2;b#c"}"#,
        #"{"a":"a@b.example; c","d":"[x]","e":"{"}"#, #"{"a":"/?q=%2F%3Fa%3Db"}"#,
        #"{"id":1,"name":"token"}"#, #"["token","x"]"#, #"{"token":null,"key": null}"#, "{}", "[]",
        #"{"note":"say \"token\": x"}"#, #"[true,false,null,-1.5E+3]"#, "",
    ])
    func restOfJSONIsUnchanged(json: String) {
        #expect(masked(json) == json)
    }

    @Test(arguments: [
        "[INFO] token=x", "{token: x}", "{'token': 'x'}", #"{"a":1} // token"#, "token=x",
        "<password>x</password>", "data: {\"token\":\"x\"}", "api_key x", "API-Key x",
        "\"token=x\"",
    ])
    func textThatMentionsSecretsIsMasked(text: String) {
        #expect(masked(text) == "***")
    }

    @Test func urlsInOtherTextAreMasked() {
        #expect(
            masked("see https://h.example/a;sid=x?code=x") == "***"
                && masked("see https://h.example/?code=x") == "see https://h.example/?code=***")
    }

    @Test(arguments: ["hello", "<b>Not found</b>", "[INFO] ok", "keyboard", "a=b&c=d"])
    func otherTextIsUnchanged(text: String) {
        #expect(masked(text) == text)
    }

    @Test func fieldsOfFormAreMasked() {
        #expect(
            masked(
                "user=ada&pass%77ord=x&a%5Btoken%5D=y&empty=&flag&code=x&to=%2F%3Fsig%3Dx",
                contentType: "Application/X-WWW-Form-URLEncoded; charset=utf-8")
                == "user=ada&pass%77ord=***&a%5Btoken%5D=***&empty=&flag&code=***"
                + "&to=%2F%3Fsig%3D%2A%2A%2A")
    }

    @Test func multipartBodyThatMentionsSecretsIsMasked() {
        let start = "--b\r\nContent-Disposition: form-data; name="
        let secret = Data("\(start)\"password\"\r\n\r\nx".utf8) + [0xFF]
        let harmless = Data("\(start)\"photo\"\r\n\r\n".utf8) + [0xFF, 0]
        let type = "multipart/form-data; boundary=b"

        #expect(Redaction.secrets.body(secret, contentType: type) == Data("***".utf8))
        #expect(Redaction.secrets.body(harmless, contentType: type) == harmless)
    }

    @Test func binaryBodyIsUnchanged() {
        let body = Data("token".utf8) + [0xFF]

        #expect(Redaction.secrets.body(body, contentType: nil) == body)
    }

    @Test func emptyRedactionMasksNothing() throws {
        let redaction = Redaction.nothing
        let url = "https://ada:x@h.example/?token=x#key=x"

        #expect(redaction.body(Data("token=x".utf8), contentType: nil) == Data("token=x".utf8))
        #expect(try redaction.text(of: .make(url)) == url)
        #expect(redaction.text(ofHeader: "Authorization", "Bearer x") == "Bearer x")
        #expect(redaction.text(ofHeader: "Location", "/?token=x") == "/?token=x")
    }

    @Test func onlyAddedNamesAreMasked() throws {
        let redaction = Redaction.nothing.adding(headers: ["X-Tenant"], values: ["user_id"])

        #expect(
            try redaction.text(of: .make("https://ada@h.example/?userId=x&token=y"))
                == "https://ada@h.example/?userId=***&token=y")
        #expect(redaction.text(ofHeader: "x-tenant", "x") == "***")
        #expect(redaction.text(ofHeader: "Authorization", "Bearer x") == "Bearer x")
        #expect(masked(#"{"user-id":1,"token":2}"#, redaction) == #"{"user-id":"***","token":2}"#)
    }

    @Test func addedNamesAccumulate() {
        let redaction = Redaction.secrets.adding(headers: ["A"]).adding(
            headers: ["B"], values: ["c"])

        #expect(redaction.text(ofHeader: "a", "x") == "***")
        #expect(redaction.text(ofHeader: "b", "x") == "***")
        #expect(redaction.text(ofHeader: "c", "x") == "x")
        #expect(masked(#"{"c":1,"token":2}"#, redaction) == #"{"c":"***","token":"***"}"#)
    }

    @Test(arguments: [
        ("Authorization", "Bearer x", "Bearer ***"),
        ("Proxy-Authorization", "Basic x", "Basic ***"),
        ("authorization", "x", "***"), ("Authorization", "Bearerx", "***"),
        (
            "Location", "https://ada:x@h.example/?code=1&token=x",
            "https://***@h.example/?code=***&token=***"
        ),
        ("location", "/?token=x#key=y", "/?token=***#key=***"),
        (
            "Link", "</a?key=x&page=2>; rel=\"next\", </b>",
            "</a?key=***&page=2>; rel=\"next\", </b>"
        ),
        ("Location", "http://[", "http://["),
        ("Location", "http://[?token=x", "http://[?token=***"),
        ("Location", "http://ada:x@h:y/?key=x", "http://***@h:y/?key=***"),
        ("X-Location", "/?token=x", "/?token=***"),
        ("X-Args", #"{"path":"/a","token":"x"}"#, #"{"path":"/a","token":"***"}"#),
        ("Refresh", "0; url=/login?code=x", "0; url=/login?code=***"),
        ("Content-Type", "multipart/form-data; boundary=key", "multipart/form-data; boundary=key"),
        ("Accept", "text/html;q=0.9, */*;q=0.1", "text/html;q=0.9, */*;q=0.1"),
    ])
    func headersAreMasked(name: String, value: String, text: String) {
        #expect(Redaction.secrets.text(ofHeader: name, value) == text)
    }

    private func masked(
        _ text: String, _ redaction: Redaction = .secrets, contentType: String? = nil
    ) -> String {
        String(decoding: redaction.body(Data(text.utf8), contentType: contentType), as: UTF8.self)
    }
}
