import Foundation
import Testing

@testable import APIKit

/// What the user adds to the rule, and what he excludes from it.
extension RedactionTests {
    @Test(arguments: ["user_id", "userId", "USER-ID", "userID"])
    func addedNameMatchesAllItsSpellings(name: String) {
        let redaction = Redaction.nothing.adding(values: ["user_id"])

        #expect(redaction.masked("?\(name)=x") == "?\(name)=***")
    }

    @Test func ruleOfAddedNamesMasksNothingElse() {
        let known = "ghp" + "_" + String(repeating: "a1", count: 18)
        let text = "https://u:p@h/?email=x&password=y&v=\(known) le chat"

        let byName = Redaction.nothing.adding(values: ["email"])
        #expect(byName.masked(text) == text.replacing("email=x", with: "email=***"))
        let byText = Redaction.nothing.adding(texts: ["le chat"])
        #expect(byText.masked(text) == text.replacing("le chat", with: "***"))
        let byHeader = Redaction.nothing.adding(headers: ["X-A"])
        #expect(byHeader.masked(header: "x-a", "b") == "***")
        #expect(byHeader.masked(header: "Cookie", "a=b") == "a=b")
        #expect(byHeader.masked(text) == text)
    }

    @Test func addedNameMasksEveryMember() {
        let redaction = Redaction.secrets.adding(values: ["address"])

        let shown = masked(
            #"{"address":{"city":"Paris","lines":["a b"],"n":7},"n":"b"}"#, by: redaction)
        #expect(shown == #"{"address":{"city":"***","lines":["***"],"n":"***"},"n":"b"}"#)
    }

    @Test func addedTextIsMaskedAnywhere() {
        let redaction = Redaction.secrets.adding(texts: ["", "le chat", "le chat noir", "a\"b"])

        #expect(redaction.masked("see le chat noir, le chat") == "see ***, ***")
        #expect(redaction.masked(header: "X-A", "le%20chat") == "***")
        #expect(redaction.masked(#"{"n":"a\"b"}"#) == #"{"n":"***"}"#)
        #expect(redaction.masked("a") == "a")
    }

    @Test func excludedNameIsMaskedOnlyByItsText() {
        let redaction = Redaction.secrets.excluding(values: ["user_token", "api_key", "Cookie"])
        let known = "ghp" + "_" + String(repeating: "a1", count: 18)

        #expect(redaction.masked("?userToken=\(Self.random)") == "?userToken=\(Self.random)")
        #expect(redaction.masked("{\"apiKey\":\"x\"}") == "{\"apiKey\":\"x\"}")
        #expect(redaction.masked(header: "Api-Key", "x") == "x")
        #expect(redaction.masked(header: "Cookie", "theme=dark") == "theme=dark")
        #expect(redaction.masked("?api_key=\(known)") == "?api_key=***")
    }
}
