import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite struct MatchingTests {
    private func key(
        _ entry: HAREntry, _ components: [Cassette.Component] = [.method, .url, .body]
    ) -> [PathTemplate.Segment]? {
        entry.request.recorded.map { Matching(components).steps(of: $0) }
    }

    /// Returns the pattern of a recorded request.
    private func pattern(
        _ recorded: HAREntry, _ components: [Cassette.Component] = [.method, .url, .body]
    ) throws -> RequestPattern {
        Matching(components).pattern(
            of: try #require(recorded.request.normalized.recorded), PlaceholderSet([]),
            hasBody: recorded.request.hasBody, credentials: [])
    }

    /// Returns whether a recorded request matches another one.
    private func matches(
        _ recorded: HAREntry, _ other: HAREntry,
        _ components: [Cassette.Component] = [.method, .url, .body]
    ) throws -> Bool {
        try pattern(recorded, components).matches(try #require(other.request.recorded))
    }

    /// Returns the differences between a recorded request and another one, on one line.
    private func differences(
        _ recorded: HAREntry, _ other: HAREntry,
        _ components: [Cassette.Component] = [.method, .url, .body]
    ) throws -> String {
        var list = LimitedList()
        try pattern(recorded, components)
            .addDifferences(from: try #require(other.request.recorded), to: &list)
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
    func headerFieldsThatARecordingChangesMatch(boundary: String) throws {
        let components: [Cassette.Component] = [
            .header("Content-Type"), .header("Content-Length"), .header("Connection"),
        ]
        var live = multipart(boundary)
        live.request.headers += [
            .init(name: "Content-Length", value: "\(live.request.body.count)"),
            .init(name: "Connection", value: "keep-alive"),
        ]
        var recorded = live
        recorded.request = live.request.normalized

        #expect(key(recorded, components) == key(live, components))
        #expect(try matches(recorded, live, components))
        #expect(
            recorded.request.headers.value(named: "Content-Type")
                == "multipart/form-data; boundary=boundary")
        #expect(try !matches(multipart("a"), post("{}", "text/plain"), components))
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
        "https://h.example:/", "https://%00/", "https://xn--/", "https://xn--999999999-/",
        "https://h.example/?%ZZ&=&&", "https://u:p@h.example:1/;a?#?#", "https:",
    ])
    func unusualURLMatchesItself(url: String) throws {
        var entry = HAREntry.make()
        entry.request.url = url
        let components: [Cassette.Component] = [.url, .host, .path, .query]

        #expect(try matches(entry, entry, components))
        #expect(try !matches(entry, .make("GET", "/other"), components))
    }

    @Test(arguments: ["[", "{\"a\":", "{\"password\":[", "[\"\\ud800\",", "[1e999,", "\u{0}"])
    func unusualBodyHasAKey(piece: String) {
        let body = String(repeating: piece, count: 100_000)

        #expect(key(post(body, "application/json")) != key(post(body + "]", "application/json")))
    }

    @Test(arguments: [
        ("/users/REDACTED-1", "/users/42"), ("/a-REDACTED-1-b/c", "/a-x-y-b/c"),
        ("/?q=x%20REDACTED-1", "/?q=x%20%2Fa%3Db"), ("/?q=REDACTED-1&q=1", "/?q=1&q=0"),
        ("/?REDACTED-1=1", "/?any=1"), ("/aREDACTED-1bREDACTED-2c", "/axbc"),
        ("/REDACTED-1/REDACTED-1", "/x/x"),
    ])
    func placeholderInAURLAcceptsAnyText(recorded: String, url: String) throws {
        #expect(try matches(.make("GET", recorded), .make("GET", url)))
        #expect(try !matches(.make("GET", recorded), .make("GET", "/b/\(url)")))
    }

    @Test(arguments: [
        ("/users/REDACTED-1", "/users/4/2"), ("/a-REDACTED-1-b", "/a-b"), ("/REDACTED-1/b", "/x/c"),
        ("/?q=REDACTED-1", "/?p=1"), ("/?q=REDACTED-1", "/?q=1&q=2"),
        ("/REDACTED-x", "/REDACTED-y"), ("/aREDACTED-1bREDACTED-2c", "/axc"),
        ("/REDACTED-1/REDACTED-1", "/x/y"), ("/?a=REDACTED-1&b=REDACTED-1", "/?a=1&b=2"),
        ("/REDACTED-1?a=REDACTED-1", "/1?a=2"),
    ])
    func placeholderInAURLRequiresTheRest(recorded: String, url: String) throws {
        #expect(try !matches(.make("GET", recorded), .make("GET", url)))
    }

    @Test func placeholderInABodyAcceptsAnyText() throws {
        let recorded = post(#"{"a":["x REDACTED-1 y"],"REDACTED-2":1}"#, nil)
        #expect(try matches(recorded, post(#"{"secret-name":1,"a":["x \"q\" y"]}"#, nil)))
        #expect(try !matches(recorded, post(#"{"secret-name":2,"a":["x 1 y"]}"#, nil)))
        let text = post("<a>REDACTED-3</a><b>REDACTED-4</b>", "text/xml")
        #expect(try matches(text, post("<a>1</a><b>2</b>", "text/xml")))
        #expect(try !matches(text, post("<a>1</a><c>2</c>", "text/xml")))
    }

    @Test func listedPlaceholderHasAnyForm() throws {
        let listed = PlaceholderSet(["8cf1e1a4-0000-4000-8000-000000000001", "4821"])
        let matching = Matching([.method, .url, .body])
        func values(_ recorded: String, _ body: String, _ got: String) throws -> [String: String]? {
            let entry = HAREntry.make("POST", recorded, body: body)
            let request = try #require(entry.request.recorded)
            let live = HAREntry.make("POST", "/u/7", body: got)
            return matching.pattern(of: request, listed, hasBody: true, credentials: [])
                .match(try #require(live.request.recorded))
        }
        let id = "8cf1e1a4-0000-4000-8000-000000000001"
        #expect(try values("/u/\(id)", #"{"pin":4821}"#, #"{"pin":7}"#) == [id: "7", "4821": "7"])
        #expect(try values("/u/\(id)", #"{"pin":4822}"#, #"{"pin":7}"#) == nil)
    }

    @Test(arguments: [
        (Cassette.Component.query(ignoring: "ts", "nonce"), "/a?x=1&ts=1&nonce=a", "/a?x=1&ts=2"),
        (.path(ignoring: "/a/{id}/*"), "/a/1/2?x=1", "/a/3/4?x=1"),
        (.path(ignoring: "**/parts/{id}"), "/v1/parts/2", "/v1/parts/4"),
    ])
    func ignoredPartOfAURLDoesNotMatter(
        component: Cassette.Component, recorded: String, url: String
    ) throws {
        let (first, second) = (HAREntry.make("GET", recorded), HAREntry.make("GET", url))
        for components in [[.method, .url, component], [.path, .query, component]] {
            #expect(try matches(first, second, components))
            #expect(key(first, components) == key(second, components))
            #expect(try !matches(first, .make("GET", "/b\(url)"), components))
            #expect(
                try !matches(
                    first,
                    .make("GET", "\(url)#&y=1".replacing("#", with: url.contains("?") ? "" : "?")),
                    components))
        }
        #expect(try !matches(first, second, [.url]))
    }

    @Test func ignoredNameInABodyDoesNotMatter() throws {
        let components: [Cassette.Component] = [.body(ignoring: "id", "ts")]
        let form = "application/x-www-form-urlencoded"
        let pairs = [
            (post(#"{"id":1,"a":[{"ts":1,"b":2}]}"#, nil), post(#"{"a":[{"b":2}],"ts":4}"#, nil)),
            (post("id=1&b=2", form), post("b=2&id=3", form)),
            (multipart("x", "1"), multipart("x", "2")),
        ]
        for (first, second) in pairs {
            #expect(try matches(first, second, components))
            #expect(key(first, components) == key(second, components))
            #expect(try !matches(first, second, [.body]))
        }
        #expect(try !matches(pairs[0].0, post(#"{"a":[{"b":3}]}"#, nil), components))
    }

    @Test func unknownBodyMatchesAny() throws {
        var entry = HAREntry.make("POST", "/a")
        entry.request.hasBody = false

        #expect(try matches(entry, .make("POST", "/a", body: "any")))
        #expect(try !matches(entry, .make("POST", "/b", body: "any")))
    }

    @Test func differencesNameTheComponentAndBothValues() throws {
        #expect(
            try differences(.make("GET", "/a?page=1&sort=x"), .make("POST", "/b?page=2&q=y"))
                == "method: expected GET, got POST; path: expected /a, got /b; "
                + #"query page: expected "1", got "2"; query: expected sort="x", which is missing; "#
                + #"query: expected no q="y""#)
        #expect(
            try differences(
                .make("GET", "https://a.example/b"), .make("GET", "http://a.example:81/b/"))
                == "path: expected /b, got /b/ (only the trailing slash differs); "
                + "origin: expected https://a.example, got http://a.example:81")
        #expect(
            try differences(post(#"{"a":[{"b":1}],"c":[]}"#, nil), post(#"{"a":[{"b":"1"}]}"#, nil))
                == #"body: a[0].b: expected 1, got "1"; body: c: expected [], got nothing"#)
        #expect(
            try differences(post("{}", nil), post("a=1", "application/x-www-form-urlencoded"))
                == "body: expected JSON, got a form")
        #expect(
            try differences(post("one", nil), post("two", nil)) == "body: expected one, got two")
        #expect(
            try differences(multipart("x"), multipart("y", "2"))
                == #"part 1: expected id="1", got id="2""#)
        #expect(
            try differences(.make(), .make(headers: ["X-Kind": "b"]), [.header("X-Kind")])
                == "header x-kind: expected nothing, got b")
    }

    @Test func differencesShowNoSecret() throws {
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
        let cookie = try differences(
            .make(headers: ["Cookie": "a=expected-1"]),
            .make(headers: ["Cookie": "b=actual-1"]),
            [.header("Cookie")])
        #expect(cookie == "header cookie: expected ***, got *** (a different value)")
        for (recorded, other) in secrets {
            let text = try differences(recorded, other, [.url, .body, .header("Authorization")])
            #expect(!text.isEmpty)
            #expect(!text.contains("expected-1") && !text.contains("actual-1"), "\(text)")
        }
    }
}
