import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// The keys of requests, which are equal for an equal meaning.
@Suite(.inTurn) struct ReplayKeyTests: ReplayingRequests {
    @Test(arguments: [
        ("https://API.example.com:443/a", "https://api.example.com/a"),
        ("http://api.example.com:80", "http://api.example.com/"),
        ("/a?x=1&y=2", "/a?y=2&x=1"),
        ("/a?x=1&x=2", "/a?x=2&x=1"),
        ("/a?x=", "/a?x"), ("/a?&x=1&&", "/a?x=1"), ("/a?", "/a?&"),
        ("/a%62c?q=%61", "/abc?q=a"),
        ("/a#first", "/a#second"),
    ])
    func equalURLsHaveEqualKeys(first: String, second: String) {
        #expect(key(.make("GET", first)) == key(.make("get", second)))
        #expect(key(.make("GET", first)).hashValue == key(.make("get", second)).hashValue)
    }

    @Test(arguments: [
        ("/a", "/a/"), ("/a", "/A"), ("/a%2Fb", "/a/b"), ("/?x=1", "/?x=2"), ("/?x=1&x=1", "/?x=1"),
        ("/?q=a+b", "/?q=a%20b"), ("/?=", "/"), ("https://a.example/", "http://a.example/"),
        ("https://a.example/", "https://a.example:8443/"),
        ("https://a.example/", "https://b.example/"),
    ])
    func differentURLsHaveDifferentKeys(first: String, second: String) {
        #expect(key(.make("GET", first)) != key(.make("GET", second)))
    }

    @Test func bodiesOfEqualMeaningHaveEqualKeys() {
        let json = post(#"{"id": 1.0, "tags": ["a", {}], "name": "Ada"}"#, "application/json")
        let compact = post(#"{"name":"\u0041da","tags":["a",{}],"id":1}"#, "application/json; x=y")
        #expect(key(json) == key(compact))
        let form = "application/x-www-form-urlencoded"
        #expect(key(post("a=1&b=x+y", form)) == key(post("b=x%20y&a=1", "\(form); charset=utf-8")))
        #expect(key(multipart("one")) == key(multipart("two")))
        #expect(key(post("text", "text/plain")) == key(post("text", nil)))
    }

    @Test func bodiesOfDifferentMeaningHaveDifferentKeys() {
        let bodies = [
            post("", nil), post("{}", nil), post("[]", nil), post("{}", "text/plain"),
            post("{ }", "text/plain"), post(#"{"a":1}"#, nil), post(#"{"a":"1"}"#, nil),
            post(#"{"a":true}"#, nil), post(#"{"a":null}"#, nil), post(#"{"a":{"b":1}}"#, nil),
            post(#"{"a.b":1}"#, nil), post(#"{"a":[1,2]}"#, nil), post(#"{"a":[2,1]}"#, nil),
            post("a=1", "application/x-www-form-urlencoded"), multipart("one"),
            multipart("one", "2"),
        ]
        #expect(Set(bodies.map { key($0) }).count == bodies.count)
    }

    @Test func keyHasOnlyTheComponentsOfTheCassette() {
        let first = RecordedExchange.make(
            "GET", "/a?x=1", headers: ["Accept": "text/html"], body: "1")
        let second = RecordedExchange.make(
            "POST", "/a?x=2", headers: ["accept": "text/html"], body: "2")

        #expect(
            key(first, [.path, .header("ACCEPT")])
                == key(second, [.path, .header("Accept")]))
        for component in [Cassette.Component.method, .query, .body, .url] {
            #expect(key(first, [component]) != key(second, [component]))
        }
        #expect(key(first, []) == key(second, []))
        #expect(key(first, [.header("Accept")]) != key(.make(), [.header("Accept")]))
    }

    @Test func boundaryAndOrderOfCookiesDoNotMatter() throws {
        let components: [Cassette.Component] = [.header("Content-Type"), .header("Cookie")]
        func entry(_ boundary: String, _ cookie: String) -> RecordedExchange {
            let entry = multipart(boundary)
            return entry.sending(
                fields: entry.request.fields + [HeaderField(name: "Cookie", value: cookie)])
        }

        #expect(key(entry("x", "a=1; b=2"), components) == key(entry("y", "b=2; a=1"), components))
        #expect(key(multipart("x"), components) != key(post("{}", "text/plain"), components))
    }

    @Test func boundaryOfPartsWithoutNamesDoesNotMatter() {
        func entry(_ boundary: String, _ text: String) -> RecordedExchange {
            post(
                "--\(boundary)\r\nContent-Type: text/plain\r\n\r\n\(text)\r\n--\(boundary)--\r\n",
                "multipart/related; boundary=\"\(boundary)\"")
        }

        #expect(key(entry("A", "1")) == key(entry("B C", "1")))
        #expect(key(entry("A", "1")) != key(entry("A", "2")))
    }

    @Test func cookieThatIsNoSecretIsComparedAsAWhole() {
        let cassette = Cassette(
            "a", matching: [.header("Cookie")], redacting: .nothing.adding(values: ["email"]))
        let keys = ["theme=dark", "theme=park", "email=ada", "email=eda"].map {
            ReplayKeys(of: [], [], for: cassette)
                .key(of: RecordedExchange.make(headers: ["Cookie": $0]).request)
        }

        #expect(keys[at: 0] != keys[at: 1] && keys[at: 2] == keys[at: 3])
    }

    @Test func propertyOfAPartBelongsToOnePart() {
        func entry(_ first: String, _ second: String) -> RecordedExchange {
            let parts = [first, second].map {
                "--b\r\nContent-Disposition: form-data; name=\"a\"\($0)\r\n\r\n1\r\n"
            }
            return post(parts.joined() + "--b--\r\n", "multipart/form-data; boundary=b")
        }
        let file = "; filename=\"x\""

        #expect(key(entry(file, ""), [.body]) != key(entry("", file), [.body]))
        #expect(key(entry(file, ""), [.body]) == key(entry(file, ""), [.body]))
        #expect(key(entry(file, ""), [.body, .ignoring("a")]) == key(.make(), [.body]))
    }

    @Test func mediaTypeKeepsItsOtherParameters() {
        let type = #"multipart/related; type="text/x"; boundary="b"; start="<a>""#
        let entry = post("--b\r\nContent-Type: text/x\r\n\r\n1\r\n--b--\r\n", type)

        #expect(
            entry.normalized.request.header("Content-Type")
                == #"multipart/related; type="text/x"; boundary="boundary"; start="<a>""#)
    }

    @Test(arguments: ["[", "{\"a\":", "{\"password\":[", "[\"\\ud800\",", "[1e999,", "\u{0}"])
    func unusualBodyHasAKey(piece: String) {
        let body = String(repeating: piece, count: Stress.isFull ? 100_000 : 600)

        #expect(key(post(body, "application/json")) != key(post(body + "]", "application/json")))
    }

    @Test func placeOfAPlaceholderIsErasedInAllRequests() {
        let entries = [
            RecordedExchange.make("GET", "/a?id=REDACTED0001"), .make("GET", "/a?id=2"),
            .make("GET", "/keys/REDACTED0001"), .make("GET", "/keys/mine"),
        ]
        let compared = compared(entries, ["REDACTED0001"])
        let forms = compared.recorded

        #expect(forms[at: 0] == forms[at: 1])
        // A path without a placeholder stays itself.
        #expect(forms[at: 2] != forms[at: 3])
    }
}
