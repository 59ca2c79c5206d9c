import APIKit
import APIKitTesting
import Foundation
import Testing

@Suite(.inTurn) struct RequestPatternTests {
    private static let methods: [PatternExample] = [
        .yes(.get("/users/42"), .make("GET", "/users/42")),
        .no(.get("/users/42"), .make("POST", "/users/42")),
        // `URLRequest` changes `get` to upper case, but neither `patch` nor `purge`.
        .yes(.get("/a"), .make("get", "/a")),
        .yes(.method("get", "/a"), .make("GET", "/a")),
        .no(.patch("/a"), .make("patch", "/a")),
        .yes(.method("patch", "/a"), .make("patch", "/a")),
        .yes(.method("PURGE", "/a"), .make("PURGE", "/a")),
        .no(.method("purge", "/a"), .make("PURGE", "/a")),
        .no(.method("PURGE", "/a"), .make("GET", "/a")),
        .yes(.post(), .make("POST", "/anything/at/all")),
        .yes(.put("/a"), .make("PUT", "/a")),
        .yes(.patch("/a"), .make("PATCH", "/a")),
        .yes(.delete("/a"), .make("DELETE", "/a")),
        .yes(.head("/a"), .make("HEAD", "/a")),
        .yes(.path("/a"), .make("HEAD", "/a")),
        .yes(.any, .make("OPTIONS", "/")),
    ]

    private static let paths: [PatternExample] = [
        .yes(.get("/foo/bar/baz"), .make("GET", "/foo/bar/baz?x=1#y")),
        .no(.get("/foo/bar/baz"), .make("GET", "/foo/bar")),
        .no(.get("/foo/bar/baz"), .make("GET", "/foo/bar/baz/qux")),
        .no(.get("/foo/bar/baz"), .make("GET", "/p?/foo/bar/baz")),
        .no(.get("/foo/bar/baz"), .make("GET", "/p#/foo/bar/baz")),
        .no(.get("/foo"), .make("GET", "/foo/")),
        .no(.get("/foo/"), .make("GET", "/foo")),
        .yes(.get("/foo/"), .make("GET", "/foo/")),
        .yes(.get("foo"), .make("GET", "/foo")),
        .yes(.get("/"), .make("GET", "https://api.example.com")),
        .yes(.get("/"), .make("GET", "https://api.example.com/")),
        .yes(.get("/users/{id}"), .make("GET", "/users/7")),
        .no(.get("/users/{id}"), .make("GET", "/users/")),
        .no(.get("/users/{id}"), .make("GET", "/users/7/posts")),
        .yes(.get("/users/*/posts"), .make("GET", "/users/7/posts")),
        .no(.get("/users/*/posts"), .make("GET", "/users/7/likes")),
        .yes(.get("/static/**"), .make("GET", "/static/a/b.css")),
        .yes(.get("/static/**"), .make("GET", "/static")),
        .no(.get("/static/**"), .make("GET", "/other/a.css")),
        .yes(.get("/a b/ü"), .make("GET", "/a%20b/%C3%BC")),
        .yes(.get("/a%20b"), .make("GET", "/a%20b")),
        .no(.get("/a/%7Bid%7D"), .make("GET", "/a/7")),
        .yes(.get("/a/%7Bid%7D"), .make("GET", "/a/%7Bid%7D")),
        .no(.get("/a/%2A"), .make("GET", "/a/7")),
        .no(.get("/a/b"), .make("GET", "/a%2Fb")),
        .yes(.get("**/dogs/1"), .make("GET", "/v1/api/dogs/1")),
        .yes(.get("/**/dogs/1"), .make("GET", "/dogs/1")),
        .no(.get("**/dogs/1"), .make("GET", "/v1/hotdogs/1")),
        .no(.get("**/dogs/1"), .make("GET", "/dogs/1/")),
        .no(.get("**/dogs/1"), .make("GET", "/1")),
        .yes(.path("**/dogs/{id}/*"), .make("PUT", "/v1/dogs/7/toys")),
        .yes(.get("**/"), .make("GET", "/a/")),
        .no(.get("**/"), .make("GET", "/a")),
        .yes(.path(matching: /\/dogs\/\d+/), .make("PUT", "/dogs/12?page=1")),
        .no(.path(matching: /\/dogs\/\d+/), .make("PUT", "/v1/dogs/12")),
        .no(.path(matching: /\/dogs\/\d+/), .make("PUT", "/dogs/12/")),
        .yes(.path(matching: /\/a b\/ü\/c/), .make("GET", "/a%20b/%C3%BC%2Fc")),
        .yes(.path(matching: /\//), .make("GET", "https://api.example.com")),
        .no(.get() && .path(matching: /\/a/), .make("PUT", "/a")),
    ]

    private static let origins: [PatternExample] = [
        .yes(.any.host("api.example.com"), .make("GET", "https://API.example.com/a")),
        .no(.any.host("example.com"), .make("GET", "https://api.example.com/a")),
        .yes(.any.host(.suffix(".example.com")), .make("GET", "https://api.example.com/a")),
        .yes(.any.host("API.Example.com"), .make("GET", "https://api.example.com/a")),
        .yes(.any.host(.suffix(".EXAMPLE.com")), .make("GET", "https://api.example.com/a")),
        .yes(.any.host("BÜCHER.example"), .make("GET", "https://xn--bcher-kva.example/a")),
        .yes(.any.host("bu\u{308}cher.example"), .make("GET", "https://XN--bcher-KVA.example/a")),
        .yes(.any.host("xn--bcher-kva.example"), .make("GET", "https://xn--bcher-kva.example/a")),
        .no(.any.host("bücher.example"), .make("GET", "https://bucher.example/a")),
        .yes(
            .any.host(.suffix(".bücher.example")), .make("GET", "https://a.xn--bcher-kva.example")),
        .yes(.any.host(.prefix("Bücher.")), .make("GET", "https://xn--bcher-kva.example")),
        .yes(.any.host(.containing(".Bücher.")), .make("GET", "https://a.xn--bcher-kva.example")),
        .yes(
            .any.host(.matching(/xn--.*\.example/)), .make("GET", "https://XN--bcher-kva.example")),
        .yes(.any.host("2001:DB8::1"), .make("GET", "https://[2001:db8::1]/a")),
        .yes(.any.port(8443), .make("GET", "https://api.example.com:8443/a")),
        .no(.any.port(8443), .make("GET", "https://api.example.com/a")),
        .yes(.any.port(443), .make("GET", "https://api.example.com/a")),
        .yes(.any.port(80), .make("GET", "http://api.example.com/a")),
        .no(.any.port(80), .make("GET", "ftp://api.example.com/a")),
    ]

    private static let queries: [PatternExample] = [
        .yes(.get("/a").query("page", "2"), .make("GET", "/a?page=2&sort=asc")),
        .no(.get("/a").query("page", "2"), .make("GET", "/a?page=3")),
        .no(.get("/a").query("page", "2"), .make("GET", "/a")),
        .yes(.get("/a").query("q", "a b"), .make("GET", "/a?q=a%20b")),
        .no(.get("/a").query("q", "a b"), .make("GET", "/a?q=a+b")),
        .yes(.get("/a").query("q", "a+b"), .make("GET", "/a?q=a+b")),
        .yes(.get("/a").query("tag", "y"), .make("GET", "/a?tag=x&tag=y")),
        .yes(.get("/a").query("debug", .absent), .make("GET", "/a")),
        .no(.get("/a").query("debug", .absent), .make("GET", "/a?debug=")),
        .yes(.get("/a").query("debug", .any), .make("GET", "/a?debug")),
        .no(.get("/a").query("debug", .any), .make("GET", "/a")),
        .yes(.get("/a").query("page", .matching(/\d+/)), .make("GET", "/a?page=12")),
        .no(.get("/a").query("page", .matching(/\d+/)), .make("GET", "/a?page=12b")),
    ]

    private static let headers: [PatternExample] = [
        .yes(.any.header("X-A", "1"), .make(headers: ["x-a": "1"])),
        .no(.any.header("X-A", "1"), .make(headers: ["x-a": "2"])),
        .no(.any.header("X-A", "1"), .make()),
        .yes(.any.header("X-A", .prefix("ab")), .make(headers: ["x-a": "abc"])),
        .yes(.any.header("X-A", .suffix("bc")), .make(headers: ["x-a": "abc"])),
        .yes(.any.header("X-A", .containing("b")), .make(headers: ["x-a": "abc"])),
        .no(.any.header("X-A", .containing("d")), .make(headers: ["x-a": "abc"])),
        .yes(.any.header("X-A", .absent), .make()),
        .no(.any.header("X-A", .absent), .make(headers: ["x-a": ""])),
        .yes(
            .any.header("X-A", .where("an even length") { ($0?.count ?? 1) % 2 == 0 }),
            .make(headers: ["x-a": "abcd"])),
        .yes(.any.header("X-A", .init(String("dynamic"))), .make(headers: ["x-a": "dynamic"])),
    ]

    private static let wholeQueriesAndCookies: [PatternExample] = [
        .yes(.any.query(exactly: ["a": "1", "b": "2"]), .make("GET", "/?b=2&a=1")),
        .no(.any.query(exactly: ["a": "1", "b": "2"]), .make("GET", "/?a=1&b=2&c=3")),
        .no(.any.query(exactly: ["a": "1", "b": "2"]), .make("GET", "/?a=1")),
        .yes(.any.query(exactly: ["a": "1", "a": "2"]), .make("GET", "/?a=2&a=1")),
        .no(.any.query(exactly: ["a": "1", "a": "1"]), .make("GET", "/?a=1")),
        .no(.any.query(exactly: ["a": "1,2"]), .make("GET", "/?a=1&a=2")),
        .yes(.any.query(exactly: [:]), .make("GET", "/")),
        .yes(.any.query(exactly: ["a": ""]), .make("GET", "/?a")),
        .yes(.any.cookie("sid", "42"), .make(headers: ["Cookie": "a=b; sid=42"])),
        .no(.any.cookie("sid", "42"), .make(headers: ["Cookie": "sid=43"])),
        .yes(.any.cookie("sid", .absent), .make(headers: ["Cookie": "a=b"])),
        .yes(.any.cookie("flag", .any), .make(headers: ["Cookie": "flag"])),
    ]

    private static let combinations: [PatternExample] = [
        .yes(.get("/a") && .any.header("X", "1"), .make("GET", "/a", headers: ["X": "1"])),
        .no(.get("/a") && .any.header("X", "1"), .make("GET", "/a")),
        .yes(.get("/a") || .get("/b"), .make("GET", "/b")),
        .no(.get("/a") || .get("/b"), .make("GET", "/c")),
        .yes(!.get("/a"), .make("GET", "/b")),
        .no(!.get("/a"), .make("GET", "/a")),
        .yes(!(.get("/a") || .get("/b")), .make("POST", "/a")),
        .yes(.any.where("an even id") { $0.path.hasSuffix("2") }, .make("GET", "/users/2")),
        .no(.get().where("an even id") { $0.path.hasSuffix("2") }, .make("GET", "/users/3")),
    ]

    /// é as one character, and as e with an accent after it, which `String` compares as equal.
    private static let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    private static let formType = "application/x-www-form-urlencoded"
    private static let decomposedForm = URLRequest.post(
        "\(decomposed)=\(decomposed)", type: formType)
    private static let decomposedJSON = URLRequest.post("{\"\(decomposed)\":\"\(decomposed)\"}")
    private static let decomposedURL = URLRequest.make("GET", "/cafe%CC%81?cafe%CC%81=cafe%CC%81")

    private static func cases(_ text: String, isMatch: Bool) -> [PatternExample] {
        let cases: [(RequestPattern, URLRequest)] = [
            (.path("/\(text)"), decomposedURL), (.path("**/\(text)"), decomposedURL),
            (.any.query(text, .any), decomposedURL), (.any.query(decomposed, text), decomposedURL),
            (.any.query(exactly: [decomposed: text]), decomposedURL),
            (.any.query(decomposed, .suffix(text)), decomposedURL),
            (.any.query(decomposed, .prefix(text)), decomposedURL),
            (.any.body(.containing(text)), decomposedForm), (.any.form(text, .any), decomposedForm),
            (.any.form(decomposed, text), decomposedForm),
            (.any.json([text: decomposed]), decomposedJSON),
            (.any.jsonContaining([decomposed: text]), decomposedJSON),
            (.any.json(text: "{\"\(decomposed)\":\"\(text)\"}"), decomposedJSON),
            (.any.json(at: text, .any), decomposedJSON),
            (.any.json(at: decomposed, text), decomposedJSON),
            (.any.cookie("a", .init(text)), .make(headers: ["Cookie": "a=\(decomposed)"])),
        ]
        return cases.map { PatternExample(pattern: $0, request: $1, isMatch: isMatch) }
    }

    private static let byBytes: [PatternExample] = [
        // A character that begins with a separator is two for a server.
        .yes(.any.form("b", "\u{301}"), .post("a=1&b=\u{301}", type: formType)),
        // Bytes that are not UTF-8 are not decoded.
        .yes(.any.query("q", "%E8"), .make("GET", "/?q=%E8")),
        .no(.any.query("q", ""), .make("GET", "/?q=%E8")),
        .yes(.any.json(at: "a", 1), .post(#"{"a":1,"b":1e400}"#)),
        .no(.any.json(["a": 1]), .post(#"{"a":1,"a":1}"#)),
        .no(.any.json(["a": [String]()]), .post(#"{"a":{}}"#)),
        .no(.any.json(["a": "null"]), .post(#"{"a":null}"#)),
        .no(.any.json(["a": ["b": 1]]), .post(#"{"a.b":1}"#)),
        .yes(.any.json(at: "a", .any), .post(#"{"a":{"b":1}}"#)),
    ]

    @Test(
        arguments: methods + paths + origins + queries + headers + wholeQueriesAndCookies
            + combinations + byBytes
            + cases(composed, isMatch: false) + cases(decomposed, isMatch: true))
    func patternMatchesOnlyItsRequests(_ example: PatternExample) async throws {
        try await example.expectItsResult()
    }

    @Test func parametersComeFromTheAlternativeThatMatches() async throws {
        let server = MockServer()
        server.on(.get("/a/{first}") || .get("/b/{second}")) { request in
            .text(request.parameters.keys.joined())
        }

        #expect(try await server.text("/b/1") == "second")
    }

    @Test func parametersComeFromThePathAfterItsStart() async throws {
        let server = MockServer()
        server.on(.get("**/dogs/{id}")) { .text($0.parameters["id"] ?? "") }

        #expect(try await server.text("/v1/dogs/a%20b") == "a b")
    }

    @Test func parametersComeFromNamedCaptures() async throws {
        let server = MockServer()
        server.on(.get() && .path(matching: /\/(v\d)?\/?dogs\/(?<id>\d+)(\.(?<type>json|xml))?/)) {
            .text(
                $0.parameters.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(
                    separator: " "))
        }

        #expect(try await server.text("/v1/dogs/7") == "id=7")
        #expect(try await server.text("/dogs/7.xml") == "id=7 type=xml")
    }

    @Test(arguments: [
        (RequestPattern.any, "any request"),
        (.get("/users/{id}"), "GET /users/{id}"),
        (.get("**/users/{id}"), "GET /**/users/{id}"),
        (.path(matching: /a/), "path: a whole match of the regular expression"),
        (.path("/users"), "/users"),
        (.post("/users").query("page", "2"), #"POST /users, query.page: "2""#),
        (
            .get("/a").header("Authorization", .prefix("Bearer abc")),
            #"GET /a, header.authorization: a value starting with "Bearer abc""#
        ),
        (.get("/a").query("api_key", "secret"), #"GET /a, query.api_key: "secret""#),
        (.get("/a").json(["b": 1, "a": 2]), #"GET /a, json: {"a":2,"b":1}"#),
        (.get("/a") || !.post("/b"), "(GET /a or not (POST /b))"),
        (.any.host(.suffix(".com")).port(8080), #"host: a value ending with ".com", port: "8080""#),
        (.any.header("X", .matching(/a/)), "header.x: a match of the regular expression"),
        (
            .any.query(exactly: ["b": "2", "token": "x"]),
            #"exactly query.b: "2", query.token: "x""#
        ),
        (.any.cookie("a", "b"), #"cookie.a: "b""#),
        (.any.body("x"), #"body: "x""#),
        (.any.jsonContaining(["a": 1]), #"json: a value containing {"a":1}"#),
        (.any.form("password", "x"), #"form.password: "x""#),
        (
            .any.part("a", fileName: "b", contentType: .prefix("image/"), body: .any),
            #"part.a, filename "b", type a value starting with "image/", body any value"#
        ),
    ])
    func patternDescribesItself(pattern: RequestPattern, description: String) {
        #expect("\(pattern)" == description)
    }

    @Test func failureEscapesWhatLooksEqual() async throws {
        let server = MockServer()
        server.on(.get("/").query("q", "caf\u{E9}"))

        let message = try #require(await server.miss(.make("GET", "/?q=cafe%CC%81")))

        #expect(message.contains("query.q: expected \"caf\u{E9}\", got \"cafe\\u{0301}\""))
    }
}
