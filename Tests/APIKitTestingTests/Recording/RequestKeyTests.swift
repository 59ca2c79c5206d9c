import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite struct RequestKeyTests {
    private func key(
        _ entry: HAREntry, _ components: [Cassette.Component] = [.method, .url, .body],
        isRecorded: Bool = false
    ) -> RequestKey {
        RequestKey(
            entry.request, of: Cassette("users", matching: components), isRecorded: isRecorded)
    }

    /// Returns the differences between a recorded request and another one, on one line.
    private func differences(
        _ recorded: HAREntry, _ other: HAREntry,
        _ components: [Cassette.Component] = [.method, .url, .body]
    ) -> String {
        var list = LimitedList()
        key(recorded, components, isRecorded: true)
            .addDifferences(from: key(other, components), to: &list)
        return list.textOnOneLine
    }

    private func post(_ body: String, _ type: String?) -> HAREntry {
        .make("POST", "/", headers: type.map { ["content-type": $0] } ?? [:], body: body)
    }

    private func multipart(_ boundary: String, _ value: String = "1") -> HAREntry {
        post(
            """
            --\(boundary)\r
            Content-Disposition: form-data; name="id"\r
            \r
            \(value)\r
            --\(boundary)--\r

            """, "multipart/form-data; boundary=\(boundary)")
    }

    @Test(arguments: [
        ("https://API.example.com:443/a", "https://api.example.com/a"),
        ("http://api.example.com:80", "http://api.example.com/"),
        ("/a?x=1&y=2", "/a?y=2&x=1"),
        ("/a?x=1&x=2", "/a?x=2&x=1"),
        ("/a?x=", "/a?x"),
        ("/a%62c?q=%61", "/abc?q=a"),
        ("/a#first", "/a#second"),
    ])
    func equalURLsHaveEqualKeys(first: String, second: String) {
        #expect(key(.make("GET", first)) == key(.make("get", second)))
        #expect(key(.make("GET", first)).hashValue == key(.make("get", second)).hashValue)
    }

    @Test(arguments: [
        ("/a", "/a/"), ("/a", "/A"), ("/a%2Fb", "/a/b"), ("/?x=1", "/?x=2"), ("/?x=1&x=1", "/?x=1"),
        ("/?q=a+b", "/?q=a%20b"), ("https://a.example/", "http://a.example/"),
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
        let first = HAREntry.make("GET", "/a?x=1", headers: ["Accept": "text/html"], body: "1")
        let second = HAREntry.make("POST", "/a?x=2", headers: ["accept": "text/html"], body: "2")

        #expect(
            key(first, [.path, .host, .header("ACCEPT")])
                == key(second, [.path, .host, .header("Accept")]))
        for component in [Cassette.Component.method, .query, .body, .url] {
            #expect(key(first, [component]) != key(second, [component]))
        }
        #expect(key(first, []) == key(second, []))
        #expect(key(first, [.header("Accept")]) != key(.make(), [.header("Accept")]))
    }

    @Test(arguments: ["a-long-boundary", "form", "y", "boundary"])
    func headerFieldsThatARecordingChangesHaveEqualKeys(boundary: String) {
        let components: [Cassette.Component] = [
            .header("Content-Type"), .header("Content-Length"), .header("Connection"),
        ]
        var live = multipart(boundary).request
        live.headers += [
            .init(name: "Content-Length", value: "\(live.body.count)"),
            .init(name: "Connection", value: "keep-alive"),
        ]
        let cassette = Cassette("users", matching: components)

        #expect(
            RequestKey(live.normalized, of: cassette, isRecorded: true)
                == RequestKey(live, of: cassette))
        #expect(
            live.normalized.headers.value(named: "Content-Type")
                == "multipart/form-data; boundary=boundary")
        #expect(key(multipart("a"), components) != key(post("{}", "text/plain"), components))
    }

    @Test func repeatedHeaderFieldIsOneList() {
        var entry = HAREntry.make()
        entry.request.headers = [
            .init(name: "accept", value: "text/html"), .init(name: "Accept", value: "text/plain"),
        ]

        #expect(
            key(entry, [.header("Accept")])
                == key(.make(headers: ["Accept": "text/html, text/plain"]), [.header("Accept")]))
    }

    @Test(arguments: [
        "https://[::1", "https://h.example:99999/", "https://h.example:/", "https://%00/",
        "https://xn--/", "https://xn--999999999-/", "https://é\u{0}.example/\u{0}?\u{0}", "https:",
        "https:///", "https://h.example/%", "https://h.example/?%ZZ&=&&", "\u{FFFD}", "", "//",
        "https://u:p@h.example:1/;a?#?#",
    ])
    func unusualURLHasAKey(url: String) {
        var entry = HAREntry.make()
        entry.request.url = url
        let components: [Cassette.Component] = [.url, .host, .path, .query]

        #expect(key(entry, components) == key(entry, components, isRecorded: true))
        #expect(key(entry, components) != key(.make("GET", "/other"), components))
    }

    @Test(arguments: ["[", "{\"a\":", "{\"password\":[", "[\"\\ud800\",", "[1e999,", "\u{0}"])
    func unusualBodyHasAKey(piece: String) {
        let body = String(repeating: piece, count: 100_000)

        #expect(key(post(body, "application/json")) != key(post(body + "]", "application/json")))
    }

    @Test(arguments: [
        ("/users/REDACTED-1", "/users/42"), ("/users/REDACTED-12", "/users/REDACTED-1"),
        ("/a-REDACTED-1-b/c", "/a-x-y-b/c"), ("/?q=x%20REDACTED-1", "/?q=x%20%2Fa%3Db"),
        ("/?q=REDACTED-1&q=1", "/?q=1&q=0"), ("/?REDACTED-1=1", "/?any=1"),
        ("/aREDACTED-1bREDACTED-2c", "/axbc"),
    ])
    func placeholderInAURLAcceptsAnyText(recorded: String, url: String) {
        #expect(key(.make("GET", recorded), isRecorded: true).accepts(key(.make("GET", url))))
        #expect(!key(.make("GET", recorded)).accepts(key(.make("GET", "/b/\(url)"))))
    }

    @Test(arguments: [
        ("/users/REDACTED-1", "/users/4/2"), ("/a-REDACTED-1-b", "/a-b"), ("/REDACTED-1/b", "/x/c"),
        ("/?q=REDACTED-1", "/?p=1"), ("/?q=REDACTED-1", "/?q=1&q=2"),
        ("/REDACTED-x", "/REDACTED-y"),
        ("/aREDACTED-1bREDACTED-2c", "/axc"),
    ])
    func placeholderInAURLRequiresTheRest(recorded: String, url: String) {
        #expect(!key(.make("GET", recorded), isRecorded: true).accepts(key(.make("GET", url))))
    }

    @Test func placeholderInABodyAcceptsAnyText() {
        let recorded = key(post(#"{"a":["x REDACTED-1 y"],"REDACTED-2":1}"#, nil), isRecorded: true)
        #expect(recorded.accepts(key(post(#"{"secret-name":1,"a":["x \"q\" y"]}"#, nil))))
        #expect(!recorded.accepts(key(post(#"{"secret-name":2,"a":["x 1 y"]}"#, nil))))
        let text = key(post("<a>REDACTED-3</a><b>REDACTED-4</b>", "text/xml"), isRecorded: true)
        #expect(text.accepts(key(post("<a>1</a><b>2</b>", "text/xml"))))
        #expect(!text.accepts(key(post("<a>1</a><c>2</c>", "text/xml"))))
        #expect(
            text == key(post("<a>REDACTED-1</a><b>REDACTED-1</b>", "text/xml"), isRecorded: true))
    }

    @Test func differencesNameTheComponentAndBothValues() {
        #expect(
            differences(.make("GET", "/a?page=1&sort=x"), .make("POST", "/b?page=2&q=y"))
                == "method: expected GET, got POST; path: expected /a, got /b; "
                + "query: expected page=1, got page=2; query: expected sort=x, got nothing; "
                + "query: expected nothing, got q=y")
        #expect(
            differences(.make("GET", "https://a.example/b"), .make("GET", "http://a.example:81/b/"))
                == "origin: expected https://a.example, got http://a.example:81; "
                + "path: expected /b, got /b/ (only a slash differs)")
        #expect(
            differences(post(#"{"a":[{"b":1}],"c":[]}"#, nil), post(#"{"a":[{"b":"1"}]}"#, nil))
                == #"body: a[0].b: expected 1, got "1"; body: c: expected [], got nothing"#)
        #expect(
            differences(post("{}", nil), post("a=1", "application/x-www-form-urlencoded"))
                == "body: expected JSON, got a form")
        #expect(
            differences(post("one", nil), post("two", nil)) == "body: expected one, got two")
        #expect(
            differences(multipart("x"), multipart("y", "2"))
                == "body: expected part 1 id=1, got part 1 id=2")
        #expect(
            differences(.make(), .make(headers: ["X-Kind": "b"]), [.header("X-Kind")])
                == "header x-kind: expected nothing, got b")
    }

    @Test func differencesShowNoSecret() {
        let secrets = [
            (
                HAREntry.make("GET", "/?api_key=expected-1&n=1"),
                HAREntry.make("GET", "/?api_key=actual-1&n=2")
            ),
            (
                post(#"{"a":{"password":"expected-1"},"n":1}"#, nil),
                post(#"{"a":{"password":"actual-1"},"n":2}"#, nil)
            ),
            (post("n: 1\npassword: expected-1", nil), post("n: 2\npassword: actual-1", nil)),
            (
                .make(headers: ["Authorization": "Bearer expected-1"]),
                .make(headers: ["Authorization": "Basic actual-1"])
            ),
        ]
        let cookie = differences(
            .make(headers: ["Cookie": "a=expected-1"]),
            .make(headers: ["Cookie": "b=actual-1"]),
            [.header("Cookie")])
        #expect(cookie == "header cookie: expected ***, got *** (a different value)")
        for (recorded, other) in secrets {
            let text = differences(recorded, other, [.url, .body, .header("Authorization")])
            #expect(!text.isEmpty)
            #expect(!text.contains("expected-1") && !text.contains("actual-1"), "\(text)")
        }
    }
}
