import APIKit
import Foundation
import Testing

@testable import APIKitTesting

@Suite(.inTurn) struct MatchingTests {
    private func compared(
        _ entries: [RecordedExchange], _ placeholders: [String] = [],
        _ components: [Cassette.Component] = [.method, .url, .body]
    ) -> ReplayKeys {
        ReplayKeys(
            of: entries.map(\.request), placeholders,
            for: Cassette("a", matching: components))
    }

    private func key(
        _ entry: RecordedExchange, _ components: [Cassette.Component] = [.method, .url, .body]
    ) -> CanonicalRequest {
        compared([], [], components).key(of: entry.request)
    }

    /// Returns the pattern of a recorded request.
    private func pattern(
        _ recorded: RecordedExchange, _ components: [Cassette.Component] = [.method, .url, .body],
        _ placeholders: [String] = []
    ) throws -> RequestPattern {
        let compared = compared([recorded], placeholders, components)
        return compared.pattern(compared.recorded[0], of: recorded.request)
    }

    /// Returns whether a recorded request matches another one.
    private func matches(
        _ recorded: RecordedExchange, _ other: RecordedExchange,
        _ components: [Cassette.Component] = [.method, .url, .body]
    ) throws -> Bool {
        try pattern(recorded, components).matches(other.request)
    }

    /// Returns the differences between a recorded request and another one, on one line.
    private func differences(
        _ recorded: RecordedExchange, _ other: RecordedExchange,
        _ components: [Cassette.Component] = [.method, .url, .body]
    ) throws -> String {
        var list = LimitedList()
        try pattern(recorded, components)
            .addDifferences(
                from: ComparedRequest(other.request), to: &list)
        return list.textOnOneLine
    }

    private func post(_ body: String, _ type: String?) -> RecordedExchange {
        .make("POST", "/", headers: type.map { ["content-type": $0] } ?? [:], body: body)
    }

    private func multipart(_ boundary: String, _ value: String = "1") -> RecordedExchange {
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

        #expect(keys[0] != keys[1] && keys[2] == keys[3])
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

    @Test(arguments: [
        "https://h.example:/", "https://%00/", "https://xn--/", "https://xn--999999999-/",
        "https://h.example/?%ZZ&=&&", "https://u:p@h.example:1/;a?#?#", "https:",
    ])
    func unusualURLMatchesItself(url: String) throws {
        let url = try #require(URL(string: url))
        let entry = RecordedExchange.make().sending(url)
        let components: [Cassette.Component] = [.url, .path, .query]

        #expect(try matches(entry, entry, components))
        #expect(try !matches(entry, .make("GET", "/other"), components))
    }

    @Test(arguments: ["[", "{\"a\":", "{\"password\":[", "[\"\\ud800\",", "[1e999,", "\u{0}"])
    func unusualBodyHasAKey(piece: String) {
        let body = String(repeating: piece, count: Stress.isFull ? 100_000 : 600)

        #expect(key(post(body, "application/json")) != key(post(body + "]", "application/json")))
    }

    @Test(arguments: [
        ("/users/REDACTED0001", "/users/42"), ("/?q=REDACTED0001&q=1", "/?q=0&q=1"),
        ("/REDACTED0001/b/REDACTED0002?a=1", "/x/b/y?a=1"), ("/?pin=1001", "/?pin=7"),
        ("/?password=x", "/?password=y"), ("/?token=q8Zt3kLw9Xv2Rb7Nc1Ym", "/?token=test"),
    ])
    func secretOfAURLIsAnyText(recorded: String, url: String) throws {
        let placeholders = ["REDACTED0001", "REDACTED0002", "1001"]
        let pattern = try pattern(.make("GET", recorded), [.method, .url], placeholders)
        func matches(_ url: String) throws -> Bool {
            pattern.matches(RecordedExchange.make("GET", url).request)
        }
        #expect(try matches(url))
        #expect(try !matches("/b\(url)"))
        #expect(try !matches(url + (url.contains("?") ? "&b=1" : "?b=1")))
    }

    @Test func secretOfABodyIsAnyText() throws {
        let placeholders = ["REDACTED0003", "REDACTED0004", "1001"]
        func matches(_ recorded: RecordedExchange, _ other: RecordedExchange) throws -> Bool {
            try pattern(recorded, [.body], placeholders).matches(other.request)
        }
        let json = post(#"{"a":["REDACTED0003"],"pin":1001,"b":1}"#, nil)
        #expect(try matches(json, post(#"{"a":["x"],"pin":7,"b":1}"#, nil)))
        #expect(try !matches(json, post(#"{"a":["x"],"pin":7,"b":2}"#, nil)))
        let text = post("password: REDACTED0003\nb: 1", "text/yaml")
        #expect(try matches(text, post("password: q8Zt3kLw9\nb: 1", "text/yaml")))
        #expect(try !matches(text, post("password: q8Zt3kLw9\nb: 2", "text/yaml")))
    }

    @Test func secretOfAHeaderFieldIsAnyText() throws {
        func entry(_ token: String, _ kind: String) -> RecordedExchange {
            .make(headers: ["Authorization": "Bearer \(token)", "X-Kind": kind])
        }
        let components: [Cassette.Component] = [.header("Authorization"), .header("X-Kind")]

        #expect(try matches(entry("one", "a"), entry("two", "a"), components))
        #expect(try !matches(entry("one", "a"), entry("one", "b"), components))
    }

    @Test func placeOfAPlaceholderIsErasedInAllRequests() {
        let entries = [
            RecordedExchange.make("GET", "/a?id=REDACTED0001"), .make("GET", "/a?id=2"),
            .make("GET", "/keys/REDACTED0001"), .make("GET", "/keys/mine"),
        ]
        let compared = compared(entries, ["REDACTED0001"])
        let forms = compared.recorded

        #expect(forms[0] == forms[1])
        // A path without a placeholder stays itself.
        #expect(forms[2] != forms[3])
    }

    @Test(arguments: [
        (Cassette.Component.ignoring("ts", "nonce"), "/a?x=1&ts=1&nonce=a", "/a?x=1&ts=2"),
        (.path(ignoring: "/a/{id}/*"), "/a/1/2?x=1", "/a/3/4?x=1"),
        (.path(ignoring: "**/parts/{id}"), "/v1/parts/2", "/v1/parts/4"),
    ])
    func ignoredPartOfAURLDoesNotMatter(
        component: Cassette.Component, recorded: String, url: String
    ) throws {
        let (first, second) = (
            RecordedExchange.make("GET", recorded), RecordedExchange.make("GET", url)
        )
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
        let components: [Cassette.Component] = [.body, .ignoring("id", "ts")]
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
        var entry = RecordedExchange.make("POST", "/a")
        entry.request.hasBody = false

        #expect(try matches(entry, .make("POST", "/a", body: "any")))
        #expect(try !matches(entry, .make("POST", "/b", body: "any")))
        entry.request.hasBody = true
        #expect(
            try !matches(entry, .make("POST", "/a", body: "any")), "The body is known as empty.")
    }

    @Test func differencesNameTheComponentAndBothValues() throws {
        #expect(
            try differences(.make("GET", "/a?page=1&sort=x"), .make("POST", "/b?page=2&q=y"))
                == "method: expected GET, got POST; path: expected /a, got /b; "
                + #"query.page: expected "1", got "2"; query.q: expected nothing, got "y"; "#
                + #"query.sort: expected "x", got nothing"#)
        #expect(
            try differences(
                .make("GET", "https://a.example/b"), .make("GET", "http://a.example:81/b/"))
                == "path: expected /b, got /b/ (only the trailing slash differs); "
                + #"origin: expected "https://a.example", got "http://a.example:81""#)
        #expect(
            try differences(post(#"{"a":[{"b":1}],"c":[]}"#, nil), post(#"{"a":[{"b":"1"}]}"#, nil))
                == #"json.a[0].b: expected 1, got "1"; json.c: expected [], got nothing"#)
        #expect(
            try differences(post(#"{"a":{"b":1},"a-c":{"d":2}}"#, nil), post("{}", nil))
                == #"json.a: expected {"b":1}, got nothing; "#
                + #"json.a-c: expected {"d":2}, got nothing"#)
        #expect(
            try differences(post("{}", nil), post("a=1", "application/x-www-form-urlencoded"))
                == #"form.a: expected nothing, got "1"; json: expected {}, got nothing"#)
        #expect(
            try differences(multipart("x"), multipart("y", "2"))
                == #"part.id.body: expected "1", got "2""#)
        #expect(
            try differences(.make(), .make(headers: ["X-Kind": "b"]), [.header("X-Kind")])
                == #"header.x-kind: expected nothing, got "b""#)
    }

    @Test func differencesShowNoSecret() throws {
        for (recorded, other) in [
            (
                RecordedExchange.make("GET", "/?api_key=expected-1&n=1"),
                RecordedExchange.make("GET", "/?api_key=actual-1&n=2")
            ),
            (
                post(#"{"a":{"password":"expected-1"},"n":1}"#, nil),
                post(#"{"a":{"password":["actual-1"]},"n":2}"#, nil)
            ),
            (post("n: 1\npassword: expected-1", nil), post("n: 2\npassword: actual-1", nil)),
        ] {
            let text = try differences(recorded, other, [.url, .body])
            #expect(!text.isEmpty)
            #expect(!text.contains("expected-1") && !text.contains("actual-1"), "\(text)")
        }
    }
}
