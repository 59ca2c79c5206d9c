import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// Requests that match the entries of a recording, or differ from them.
@Suite(.inTurn) struct MatchingTests: ReplayingRequests {
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
        #expect(try !matches(#require(pairs.first).0, post(#"{"a":[{"b":3}]}"#, nil), components))
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
