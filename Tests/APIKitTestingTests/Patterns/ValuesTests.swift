import APIKit
import APIKitTesting
import Foundation
import Testing

/// Patterns with variables and JSON literals instead of value patterns.
@Suite(.inTurn) struct ValuesTests {
    /// A public type, in which `Order` has to be `Sendable` explicitly or by its protocol.
    public struct Search: Sendable {
        /// An order of results.
        public enum Order: String, QueryValue {
            case name, age
        }

        /// The order of the results.
        public var order = Order.name
    }

    private let user = User(id: 7, name: "Ada")
    private let none: String? = nil

    /// Returns the failures of a request that a server with one route receives.
    private func failures(_ pattern: RequestPattern, _ request: URLRequest) async -> [String] {
        let server = MockServer(unhandled: .fail)
        server.on(pattern, reply: .status(200), times: .anyNumber)
        _ = try? await server.status(request)
        return server.failures.map(\.message)
    }

    private func matches(_ pattern: RequestPattern, _ request: URLRequest) async -> Bool {
        await failures(pattern, request).isEmpty
    }

    @Test func variableMatchesItsText() async {
        let (breed, page, id) = ("akita", 2, UUID())
        let request = URLRequest.make(
            "GET", "/?breed=akita&page=2&order=age&id=\(id)&price=1.5&tame=true",
            headers: ["A": "token", "Cookie": "session=42"])

        for pattern: RequestPattern in [
            .any.query("breed", breed), .any.query("page", page), .any.query("page", 2),
            .any.query("breed", "\(breed)"), .any.query("order", Search.Order.age),
            .any.query("id", id), .any.query("price", Decimal(1.5)), .any.query("tame", true),
            .any.query("breed", Optional(breed)), .any.query("breed", breed[...]),
            .any.header("a", "token"), .any.cookie("session", 42),
            .any.host(URL.make("/").host), .any.query("breed", ValuePattern(breed)),
        ] {
            #expect(await matches(pattern, request), "\(pattern)")
        }
        for pattern: RequestPattern in [
            .any.query("breed", breed + "s"), .any.query("page", 3), .any.query("breed", none),
            .any.query("order", Search().order), .any.header("a", none), .any.cookie("session", 4),
            .any.host(breed),
        ] {
            #expect(await !matches(pattern, request), "\(pattern)")
        }
    }

    @Test func exactQueryTakesVariables() async {
        let query = RequestPattern.any.query(
            exactly: ["order": Search.Order.age, "tag": ["a", "b"], "page": 2, "q": none])

        #expect(await matches(query, .make("GET", "/?page=2&tag=a&tag=b&order=age")))
        #expect(await !matches(query, .make("GET", "/?page=2&tag=a&order=age")))
        #expect(await !matches(query, .make("GET", "/?page=2&tag=a&tag=b&order=age&q=")))
    }

    @Test func nilMatchesAnAbsentValue() async {
        for pattern: RequestPattern in [
            .any.query("q", none), .any.header("A", none), .any.cookie("c", none),
            .any.query("q", [String]()), .any.query("q", Optional([1])?.filter { $0 > 1 }),
        ] {
            #expect(await matches(pattern, .make()), "\(pattern)")
        }
    }

    @Test(arguments: [
        ("tag=a&tag=b", true), ("tag=b&tag=a&x=1", true), ("tag=a", false), ("tag=b", false),
        ("tag=a&tag=b&tag=c", false), ("tag=a&tag=b&tag=b", false), ("", false),
    ])
    func arrayMatchesAllOfItsValues(query: String, isMatch: Bool) async {
        let tags = ["a", "b"]

        #expect(await matches(.any.query("tag", tags), .make("GET", "/?\(query)")) == isMatch)
    }

    @Test func variableMatchesAFormFieldAndABody() async {
        let (name, ids, text) = ("Ada", [1, 2], "a=b")
        let form = URLRequest.make(
            "POST", headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: Data("name=Ada&id=1&id=2".utf8))

        #expect(await matches(.post().form("name", name).form("id", ids).form("x", none), form))
        #expect(await !matches(.post().form("id", [1]), form))
        #expect(await matches(.post().body(text), .make("POST", body: Data(text.utf8))))
        #expect(await !matches(.post().body(name), .make("POST", body: Data(text.utf8))))
    }

    @Test func failureShowsExpectedAndReceivedValues() async {
        let tags = ["a", "b"]

        let message = await failures(
            .get("/").query("tag", tags).query("page", 2).query("q", none),
            .make("GET", "/?tag=a&page=1&q=x")
        ).joined()

        #expect(message.contains(#"query.tag: expected "a" and "b", got "a""#), "\(message)")
        #expect(message.contains(#"query.page: expected "2", got "1""#), "\(message)")
        #expect(message.contains(#"query.q: expected nothing, got "x""#), "\(message)")
    }

    @Test func failureShowsSecretVariablesOfTheTest() async {
        let message = await failures(
            .get("/").header("Authorization", "a").cookie("session", "b").query(
                "token", ["c", "d"]),
            .make("GET", "/?secret=hunter5", headers: ["Authorization": "hunter6"])
        ).joined()

        #expect(message.contains(#"header.authorization: expected "a", got "***""#), "\(message)")
        #expect(message.contains(#"query.token: expected "c" and "d", got nothing"#), "\(message)")
        #expect(!message.contains("hunter"), "\(message)")
    }

    @Test func jsonLiteralOrTextMatchesAnEqualBody() async {
        let request = URLRequest.make(
            "POST", body: Data(#"{"id": 7, "name": "Ada", "nick": null, "pet": {"age": 1}}"#.utf8))

        for pattern: RequestPattern in [
            .post().json(["id": 7, "name": "Ada", "nick": nil, "pet": ["age": 1]]),
            .post().json(["id": user.id, "name": user.name, "nick": none, "pet": ["age": 1]]),
            .post().json(text: #"{"name":"Ada","id":7.0,"pet":{"age":1},"nick":null}"#),
            .post().jsonContaining(["id": 7, "name": "Ada"]),
            .post().jsonContaining(["id": user.id, "name": user.name]),
            .post().jsonContaining(["id": 7, "pet": .json(["age": 1])]),
            .post().jsonContaining(text: #"{"pet": {}}"#),
        ] {
            #expect(await matches(pattern, request), "\(pattern)")
        }
        for pattern: RequestPattern in [
            .post().json(["id": 7, "name": "Ada"]),
            .post().json(["id": user.id, "name": user.name]),
            .post().json(text: #"{"id": 7}"#),
            .post().jsonContaining(["id": "7", "age": 1]),
            .post().jsonContaining(["id": user.id, "name": none]),
            .post().jsonContaining(text: #"{"pet": []}"#),
        ] {
            #expect(await !matches(pattern, request), "\(pattern)")
        }
    }

    @Test func jsonArrayOfLiteralsMatchesAnEqualBody() async {
        let request = URLRequest.make("POST", body: Data(#"[{"id":7,"name":"Ada"}]"#.utf8))

        #expect(await matches(.post().json([["id": user.id, "name": user.name]]), request))
        #expect(await matches(.post().jsonContaining([["id": user.id, "name": "Ada"]]), request))
        #expect(await matches(.post().json([["id": 7, "name": "Ada"]]), request))
    }
}
