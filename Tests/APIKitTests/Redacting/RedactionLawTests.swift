import Foundation
import Testing

@testable import APIKit

/// Properties of redacted text, tested with cut and random content.
///
/// Only secrets contain an `S` or a `9` here.
@Suite struct RedactionLawTests {
    @Test(arguments: [
        (#"{"a":[{"password" : "SSS\"9"},1],"api_key":"9SS"}"#, "a"),
        (#"{"a":"{\"secret\":\"SSS\",\"b\":1}","otp":99999,"pwd":99}"#, "b"),
        ("password: SSS\napi_key=99\n<secret>SSS</secret>", "api_key"),
    ])
    func textCutAnywhereShowsNoSecret(text: String, visible: String) {
        let whole = Redaction.secrets.body(Data(text.utf8), contentType: nil)
        #expect(String(decoding: whole, as: UTF8.self).contains(visible))
        for end in text.indices + [text.endIndex] {
            let shown = String(
                decoding: Redaction.secrets.body(Data(text[..<end].utf8), contentType: nil),
                as: UTF8.self)

            #expect(!shown.contains("S") && !shown.contains("9"), "\(text[..<end])")
        }
    }

    /// A random text that resembles a URL, with secrets in its query and fragment.
    private func address(using random: inout SeededGenerator) -> String {
        let starts = [
            "https://h.example", "", "/", "//", "h:1", "http://user:SSS@h", "http://[",
            "http://h:x",
        ]
        let parts = ["a", "/", "//", "é", "[", "]", "%", "%2", "@", ":", "|", "^", ";"]
        let items = ["a=b", "password=SSS", "secret=S%53S=S", "", "%=", "a[b]=c"]
        var text = (starts.randomElement(using: &random) ?? "") + .random(of: parts, using: &random)
        for mark in ["?", "#"] where Bool.random(using: &random) {
            let count = Int.random(in: 0...4, using: &random)
            text +=
                mark
                + (0..<count).map { _ in items.randomElement(using: &random) ?? "" }
                .joined(separator: "&")
        }
        return text
    }

    @Test func urlShowsNoSecret() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<Stress.count(4_000) {
            let text = address(using: &random)
            guard let url = URL(string: text) else { continue }

            let shown = Redaction.text(of: url)
            #expect(!shown.contains("S"), "\(text)")
            #expect(shown.contains("a=b") || !text.contains("a=b"), "\(text)")
        }
    }

    @Test(arguments: ["Location", "Link", "referer"])
    func headerWithURLsShowsNoSecret(name: String) {
        var random = SeededGenerator(seed: 4)
        var visibleCount = 0
        for _ in 0..<Stress.count(1_000) {
            let links = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                "<\(address(using: &random))>; rel=\"next\""
            }
            let text = name == "Link" ? links.joined(separator: ", ") : address(using: &random)

            let shown = Redaction.secrets.text(ofHeader: name, text)

            #expect(!shown.contains("S"), "\(text)")
            if shown.contains("a=b") { visibleCount += 1 }
        }
        // The rest of a malformed link may be masked with its secret.
        #expect(visibleCount > Stress.count(100))
    }
}
