import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// The tests assert whole messages, because a failed test shows nothing else.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct UnhandledRequestTests {
    let server = MockServer()

    private func message(_ request: URLRequest) async -> String? {
        let error = await #expect(throws: UnhandledRequestError.self) {
            try await server.session.send(request)
        }
        #expect(error?.localizedDescription == error?.description)
        let message = server.failures.last?.message
        #expect(error?.description == message.map { "\($0)\n\(traitHint)" })
        return message
    }

    private let traitHint =
        "The test does not have the trait .mockServer. Without it, only server.verify() reports this "
        + "request."

    @Test(.mockServer) func errorOfAVerifiedServerHasNoHint() async {
        let error = await #expect(throws: UnhandledRequestError.self) {
            try await MockServer.current.send(.make("GET", "/a"))
        }

        #expect(error?.description == MockServer.current.failures.first?.message)
        withKnownIssue { MockServer.current.verify() }
    }

    @Test(arguments: [
        ("GET", "/users/42", #".get("/users/42")"#), ("PURGE", "/a", #".method("PURGE", "/a")"#),
    ])
    func messageShowsTheRouteToAdd(method: String, path: String, pattern: String) async {
        #expect(
            await message(.make(method, path)) == """
                Unhandled request: \(method) https://api.example.com\(path)
                The server has no routes. To reply to this request, add
                  server.on(\(pattern), reply: .json(…))
                """)
    }

    @Test func messageEscapesCharactersThatChangeItsLines() async {
        server.on(.get("/users").header("X-Name", "a"), reply: .status(200))
        let name = "b\u{202E}\u{2028}\u{9B}\u{7F}"

        let message = await message(.make("GET", "/users", headers: ["X-Name": name]))

        #expect(message?.contains(#"got "b\u{202E}\u{2028}\u{009B}\u{7F}""#) == true)
    }

    @Test func errorOfAServerThatOutlivesItsTestHasAHint() async {
        let scope = TestScope()
        let server = TestScope.$current.withValue(scope) { MockServer() }
        #expect(scope.takeFailures(after: nil).isEmpty)

        let error = await #expect(throws: UnhandledRequestError.self) {
            try await server.session.send(.make("GET", "/a"))
        }

        #expect(error?.description.hasSuffix(TestScope.hintWhenOver) == true)
    }

    @Test(arguments: [
        (RequestPattern.post("/users"), "/users", "method: expected POST, got GET"),
        (
            .get("/users"), "/users/",
            "path: expected /users, got /users/ (only the trailing slash differs)"
        ),
        (
            .get("/Users/{id}/Posts"), "/users/Ada/posts",
            "path: expected /Users/{id}/Posts, got /users/Ada/posts (only the case differs)"
        ),
        (
            .get("/users").query("page", "2"), "/users?page=3&secret=abc",
            #"query.page: expected "2", got "3""#
        ),
        (
            .get("/a").header("Authorization", .prefix("Bearer ")), "/a",
            #"header.authorization: expected a value starting with "Bearer ", got nothing"#
        ),
    ])
    func messageNamesTheClosestRouteAndItsDifference(
        pattern: RequestPattern, path: String, difference: String
    ) async {
        server.on(pattern, reply: .status(200)); let line = #line

        #expect(
            await message(.make("GET", path)) == """
                Unhandled request: GET https://api.example.com\(path.replacing("abc", with: "***"))
                The closest route is \(pattern) (UnhandledRequestTests.swift:\(line)):
                  - \(difference)
                """)
    }

    @Test func messageShowsOnlySecretsThatTheTestWrote() async throws {
        server.on(
            .post("/a").header("Cookie", "id=expected").query("api_key", "expected")
                .json(["password": "expected"]), reply: .status(200))
        var request = URLRequest.make(
            "POST", "/a?api_key=actual", headers: ["Cookie": "id=actual"],
            body: Data(#"{"password":"actual"}"#.utf8))
        request.setValue("Bearer actual", forHTTPHeaderField: "Authorization")

        let text = try #require(await message(request))

        #expect(!text.contains("actual"))
        #expect(text.contains(#"header.cookie: expected "id=expected", got "***""#))
        #expect(text.contains(#"query.api_key: expected "expected", got "***""#))
        #expect(text.contains(#"json.password: expected "expected", got "***""#))
    }

    @Test func messageShowsAReceivedSecretThatTheTestWrote() async throws {
        server.on(.get("/a").header("Authorization", "Bearer old").query("a", "1").query("b", "2"))
        server.on(.get("/a").header("Authorization", "Bearer new"))

        let text = try #require(
            await message(.make("GET", "/a", headers: ["Authorization": "Bearer old"])))

        #expect(text.contains(#"header.authorization: expected "Bearer new", got "Bearer old""#))
    }

    @Test func messageShowsOnlyTheJSONPathsThatDiffer() async {
        struct Order: Encodable, Sendable {
            struct Item: Encodable { var sku: String; var count: Int }
            var id = 1
            var items = [Item(sku: "a", count: 1), Item(sku: "b", count: 2)]
            var note: String? = "hi"
        }
        server.on(.post("/orders").json(Order()), reply: .status(201)); let line = #line
        let body = #"{"id":1,"items":[{"sku":"a","count":1},{"sku":"b","count":3}],"extra":[true]}"#

        #expect(
            await message(.make("POST", "/orders", body: Data(body.utf8))) == """
                Unhandled request: POST https://api.example.com/orders
                  body: {"extra":[true],"id":1,"items":[{"count":1,"sku":"a"},{"count":3,"sku":"b"}]}
                The closest route is POST /orders, json: {"id":1,"items":[{"count":1,"sku":"a"},\
                {"count":2,"sku":"b"}],"note":"hi"} (UnhandledRequestTests.swift:\(line)):
                  - json.extra: expected nothing, got [true]
                  - json.items[1].count: expected 2, got 3
                  - json.note: expected "hi", got nothing
                """)
    }

    @Test(arguments: [
        ("not json", "body: expected JSON, got not json"), ("", "body: expected JSON, got nothing"),
        ("[1]", #"json: expected {"a":1}, got [1]"#),
    ])
    func messageShowsABodyThatIsNotTheExpectedJSON(body: String, difference: String) async throws {
        server.on(.any.json(["a": 1]), reply: .status(200))

        let text = try #require(await message(.make("POST", "/", body: Data(body.utf8))))

        #expect(text.hasSuffix("\n  - \(difference)"))
    }

    @Test(arguments: [
        (RequestPattern.any.query(exactly: ["a": "1"]), "query.c: expected nothing, got \"3\""),
        (.any.query(exactly: ["c": "3", "d": "4"]), "query.d: expected \"4\", got nothing"),
        (.any.cookie("sid", "1"), "cookie.sid: expected \"1\", got nothing"),
        (.any.body("x"), "body: expected \"x\", got \"\""),
        (.any.form("a", "1"), "form.a: expected \"1\", got nothing"),
        (.any.part("a"), "part.a: expected a part, got no body"),
        (.any.where("an even id") { _ in false }, "expected an even id"),
        (.get("/a") || .get("/b"), "expected (GET /a or GET /b), got GET /?c=3"),
        (.get("/") && !.any.query("c", "3"), "expected not (query.c: \"3\"), got GET /?c=3"),
    ])
    func messageShowsHowEachConditionDiffers(pattern: RequestPattern, difference: String)
        async throws
    {
        server.on(pattern, reply: .status(200))

        let text = try #require(await message(.make("GET", "/?c=3#top")))

        #expect(text.contains("\n  - \(difference)"))
    }

    @Test func messageShowsHowAPartDiffersWithoutItsSecret() async throws {
        server.on(
            .any.part("file", fileName: "b.png", body: "y").part("password", body: "expected"),
            reply: .status(200))
        let start = "--b\r\nContent-Disposition: form-data; name="
        let request = URLRequest.make(
            "POST", "/", headers: ["Content-Type": "multipart/form-data; boundary=b"],
            body: Data(
                "\(start)file; filename=a.png\r\n\r\nx\r\n\(start)password\r\n\r\nactual\r\n--b--"
                    .utf8))

        let text = try #require(await message(request))

        #expect(
            text.hasSuffix(
                """

                  - part.file.filename: expected "b.png", got "a.png"
                  - part.file.body: expected "y", got "x"
                  - part.password.body: expected "expected", got "***"
                """))
    }

    @Test(arguments: [
        RequestPattern.get("/b"), .post("/a/*"), !.path("/a/*"), .get("/b") || .get("/c"),
        .request(AnyRequest(.get, "/a;secret=expected")),
    ])
    func messageContainsNoSecretOfAPath(pattern: RequestPattern) async throws {
        let server = MockServer()
        for _ in 1...2 {
            let error = await #expect(throws: UnhandledRequestError.self) {
                try await server.send(.make("GET", "/a/x;secret=actual"))
            }

            let text = try #require(error).description
            #expect(text.contains("/a/x;secret=***"))
            #expect(!text.contains("actual") && !text.contains("expected\""), "\(text)")
            server.on(pattern, reply: .status(200))
        }
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded", "user=ada&password=hunter2"),
        ("multipart/form-data; boundary=b", "--b\r\n\r\npassword=hunter2"),
        ("application/json", #"{"password": "hunter2""#),
        ("text/plain", "my password: hunter2"),
    ])
    func messageMasksTheSecretsOfABody(type: String, body: String) async throws {
        let request = URLRequest.make(
            "POST", "/", headers: ["Content-Type": type], body: Data(body.utf8))

        let text = try #require(await message(request))

        #expect(!text.contains("hunter2"), "\(text)")
    }

    @Test(arguments: [
        ("application/json", "is application/json"), (nil, "has no content type"),
    ])
    func messageNamesABodyThatIsNotAForm(type: String?, difference: String) async throws {
        server.on(.post("/a").form("user", "ada"), reply: .status(200))
        var request = URLRequest.make("POST", "/a", body: Data("[]".utf8))
        request.setValue(type, forHTTPHeaderField: "Content-Type")

        let text = try #require(await message(request))

        let line = "form.user: expected \"ada\", got nothing (the body \(difference), so"
        #expect(text.hasSuffix("\n  - \(line) it is not a form)"))
    }

    @Test func messageCutsALongBody() async throws {
        server.on(.any.body("x"), reply: .status(200))
        let body = Data(String(repeating: "x", count: 10_000).utf8)

        let text = try #require(await message(.make("POST", "/", body: body)))

        #expect(text.contains("x… (10000 bytes)\n") && text.hasSuffix("x…\""))
        #expect(text.count < 2000)
    }

    @Test func messageHasALimitForALargeBody() async throws {
        let expected = (0..<60).map { ["id": $0, "age": 1] }
        let got = (0..<60).map { ["id": $0, "age": $0 % 10 == 0 ? 1 : 2] }
        server.on(.post("/a").json(expected), reply: .status(200))
        let body = try JSONEncoder().encode(got)

        let text = try #require(await message(.make("POST", "/a", body: body)))

        let lines = text.split(separator: "\n")
        #expect(lines.count == 40)
        #expect(text.utf8.count <= 64 << 10)
        #expect(lines.allSatisfy { $0.count <= 500 })
        #expect(lines[1].hasSuffix("… (\(body.count) bytes)"))
        #expect(lines[2].contains(#"POST /a, json: [{"age":1,"id":0},{"age":1,"id":1}"#))
        let last = try #require(lines.last)
        #expect(last == "  … and \(54 - (lines.count - 4)) more differences")
    }

    @Test func longValuesAreBothShown() async throws {
        let (expected, got) = (
            String(repeating: "a", count: 1000), String(repeating: "b", count: 9999)
        )
        server.on(.any.json(["note": expected]).header("X", .prefix(expected)), reply: .status(200))

        let text = try #require(
            await message(
                .make("POST", "/", headers: ["X": got], body: Data(#"{"note":"\#(got)"}"#.utf8))))

        for line in text.split(separator: "\n").suffix(2) {
            #expect(line.contains("aaa…") && line.contains("bbb…") && line.count <= 500)
        }
    }

    @Test func shortenedValueContainsNoSecret() async throws {
        let note = #"{"password": "secret", "more": "\#(String(repeating: "x", count: 100_000))"}"#
        let body = try JSONEncoder().encode(["note": note])

        let text = try #require(await message(.make("POST", "/", body: body)))

        #expect(text.contains("***"))
        #expect(!text.contains("secret"))
    }

    @Test(arguments: [
        (Data([0xFF, 0xFE, 0xFD]), "3 bytes", ""),
        (Data(String(repeating: "[1,2],", count: 1 << 18).utf8), "[1,2],[1", "… (1572864 bytes)"),
    ])
    func bodyThatIsNotDecodedShowsItsStartAndSize(
        body: Data, start: String, end: String
    ) async throws {
        let message = try #require(await message(.make("POST", "/", body: body)))

        #expect(message.contains("\n  body: \(start)"))
        #expect(message.contains("\(end)\n"))
    }

    @Test func messageShowsEachValueOnOneLine() async throws {
        server.on(.any.body("a\n"), reply: .status(200)); let line = #line

        #expect(
            await message(.make("POST", "/", body: Data("hello\r\nworld".utf8))) == #"""
                Unhandled request: POST https://api.example.com/
                  body: hello\r\nworld
                The closest route is body: "a\n" (UnhandledRequestTests.swift:\#(line)):
                  - body: expected "a\n", got "hello\r\nworld"
                """#)
    }

    @Test func messageShowsHowTheClosestAlternativeDiffers() async throws {
        server.on(.post("/a").header("X", "1") || .get("/b"), reply: .status(200))

        let text = try #require(await message(.make("POST", "/a?secret=secret")))

        #expect(
            text.hasSuffix(
                """

                  - expected (POST /a, header.x: "1" or GET /b), got POST /a?secret=***
                  - header.x: expected "1", got nothing
                """))
    }

    @Test func messageListsTheRoutesIfNoneIsClose() async {
        server.on(.get("/dogs"), reply: .status(200)); let line = #line
        server.on(.delete(), times: 0)

        #expect(
            await message(.make("GET", "/breeds")) == """
                Unhandled request: GET https://api.example.com/breeds
                No route is close to this request. The routes are:
                  - GET /dogs (UnhandledRequestTests.swift:\(line))
                  - DELETE /** (UnhandledRequestTests.swift:\(line + 1))
                """)
    }

    @Test func listOfTheRoutesHasALimit() async throws {
        for number in 100..<121 { server.on(.get("/route-\(number)"), reply: .status(200)) }

        let text = try #require(await message(.make("GET", "/")))

        #expect(text.contains("/route-119 "))
        #expect(text.hasSuffix("\n  … and 1 more route"))
    }

    @Test(arguments: [
        [RequestPattern.get("/dogs").query("a", "1").query("b", "2"), .post("/dogs")],
        [.post("/dogs"), .get("/dosg")],
        [.get("/dosg"), .post("/dosg"), .delete(), .get("/other")],
    ])
    func routeThatAPersonWouldNameIsTheClosest(patterns: [RequestPattern]) async throws {
        for pattern in patterns { server.on(pattern, reply: .status(200)) }
        server.on(.get("/dogs/{id}"), times: 0)
        server.on(.get("/dogs").query("a", "1"), reply: .status(200)).remove()

        let text = try #require(await message(.make("GET", "/dogs")))

        #expect(text.contains("The closest route is \(patterns[0]) ("))
    }

    @Test(arguments: [
        [RequestPattern.post("/dogs").json([1, 2, 3]), .post("/dogs").json([1, 5, 6])],
        // The method counts less than the body.
        [.put("/dogs").json([1, 2, 9]), .post("/dogs").json([1, 5, 6])],
    ])
    func routeWithFewerDifferencesIsCloser(patterns: [RequestPattern]) async throws {
        for pattern in patterns { server.on(pattern, reply: .status(200)) }

        let text = try #require(await message(.make("POST", "/dogs", body: Data("[1,2,9]".utf8))))

        #expect(text.contains("The closest route is \(patterns[0]) ("))
    }

    @Test(arguments: [
        ("/dogs", "/dog", true), ("/dogs", "/DOGS", true), ("/dogs", "/dosg", true),
        ("/dogs", "/cats", false), ("/dogs", "/", false), ("/", "/dogs", false),
        ("/v1/dogs", "/dogs", true), ("/dogs", "/api/v1/dogs", true), ("/dogs", "/dogs/7", true),
        ("/dogs", "/dogs/7/toys", false), ("/dogs/{id}", "/dogs", true), ("/{id}", "/a/b", false),
        ("/v1/dogs/**", "/v2/dogs/7", true), ("/v1/dogs/**", "/v1/cats/7", false),
        ("/dogs/1/toys", "/dogs/2/toys", true), ("/dogs/toys", "/dogs/1/toys", true),
        ("/dogs/{id}", "/dogs/", true), ("/a/{id}/b", "/a//c", false),
        ("/api/puppies/1", "/api/puppy/1", true), ("/api/puppies/{id}", "/api/puppy/1", true),
        ("/v1/puppies", "/v1/dogs", false), ("/puppies/{id}", "/puppy/1", false),
        ("**/dogs/{id}", "/v1/dog/1", true), ("**/cats/{id}", "/v1/dogs/1", false),
    ])
    func closeRouteHasASimilarPath(route: String, path: String, isClose: Bool) async throws {
        server.on(.get(route), reply: .status(200))

        let text = try #require(await message(.make("GET", path)))

        #expect(text.contains("The closest route is") == isClose)
    }

    @Test func messageNamesTheRequestThatWasRedirected() async throws {
        server.on(.post("/login"), reply: .redirect(to: "/hom?secret=abc", status: 303))

        let text = try #require(await message(.make("POST", "/login?secret=abc")))

        #expect(
            text.hasPrefix(
                """
                Unhandled request: GET https://api.example.com/hom?secret=*** (redirected from \
                POST /login?secret=***)

                """))
    }

    @Test func routeWithARegularExpressionIsCloseOnlyIfItMatches() async throws {
        server.on(.get() && .path(matching: /\/dogs\/\d+/), reply: .status(200))

        let miss = try #require(await message(.make("GET", "/dogs/rex")))
        #expect(miss.contains("No route is close to this request."))
        #expect(miss.contains("GET /**, path: a whole match of the regular expression ("))
        let close = try #require(await message(.make("PUT", "/dogs/7")))
        #expect(close.contains("The closest route is GET /**, path: a whole match"))
        #expect(close.contains("method: expected GET, got PUT"))
    }

    @Test func messageNamesAnExhaustedRoute() async throws {
        server.on(.get("/a"), reply: .status(200), times: 2); let line = #line
        for _ in 0..<2 { _ = try await server.session.send(.make("GET", "/a")) }

        #expect(
            await message(.make("GET", "/a")) == """
                Unhandled request: GET https://api.example.com/a
                The route GET /a (UnhandledRequestTests.swift:\(line)) has already replied twice, its \
                maximum. To allow more, pass times: .atLeast(2), or add another route.
                """)
    }

    @Test func messageNamesTheRouteThatForbidsTheRequest() async {
        server.on(.any, reply: .status(200), times: .anyNumber)
        server.on(.delete(), times: 0); let line = #line

        #expect(
            await message(.make("DELETE", "/a")) == """
                Unhandled request: DELETE https://api.example.com/a
                The route DELETE /** (UnhandledRequestTests.swift:\(line)) forbids this request by \
                times: 0. Remove the request, or change the times.
                """)
    }

    @Test(arguments: [UnhandledPolicy.reply(.status(404)), .reply(.passthrough)])
    func forbiddenRequestFailsUnderEachPolicy(policy: UnhandledPolicy) async {
        let server = MockServer(unhandled: policy)
        server.on(.delete(), times: 0)

        await #expect(throws: UnhandledRequestError.self) {
            try await server.session.send(.make("DELETE", "/a"))
        }
        withKnownIssue { server.verify() }
    }

    @Test func messageNamesTheInvalidRoutes() async {
        server.on(.get("/users?page=2"), reply: .status(200)); let line = #line
        server.on(.get("/dogs"), reply: .status(200))

        let error = await #expect(throws: UnhandledRequestError.self) {
            try await server.send(.make("GET", "/users?page=2"))
        }
        #expect(
            error?.description == """
                Unhandled request: GET https://api.example.com/users?page=2
                This request may belong to an invalid route. Correct that first:
                  - UnhandledRequestTests.swift:\(line): A route is invalid: /users?page=2 contains a \
                query. Match it with .query(_:_:)
                \(traitHint)
                """)
        #expect(server.failures.map(\.location?.line) == [line])
    }

    @Test(.mockServer, arguments: [0, 1])
    func messageNamesTheRouteOfAnotherServer(routeCount: Int) async throws {
        let server = MockServer.current
        let other = MockServer()
        other.on(.get("/dogs"), times: 0)
        other.on(.get("/dogs"), reply: .status(200)).remove()
        other.on(.get("/dogs"), reply: .status(200)); let line = #line
        if routeCount > 0 { server.on(.get("/breeds"), reply: .status(200)) }

        let error = await #expect(throws: UnhandledRequestError.self) {
            try await server.send(.make("GET", "/dogs"))
        }
        #expect(
            error?.description == """
                Unhandled request: GET https://api.example.com/dogs
                Another server of this test has a route for it: GET /dogs \
                (UnhandledRequestTests.swift:\(line)). Use the session of that server.
                """)
        withKnownIssue { server.verify() }
        withKnownIssue { other.verify() }
    }

    @Test(.mockServer) func messageNamesNoRouteOfAReleasedServer() async {
        MockServer().on(.get("/dogs"), times: .anyNumber)

        let error = await #expect(throws: UnhandledRequestError.self) {
            try await MockServer.current.send(.make("GET", "/dogs"))
        }
        #expect(error?.description.contains("The server has no routes.") == true)
        withKnownIssue { MockServer.current.verify() }
    }

    @Test func errorCarriesTheRequest() async {
        let error = await #expect(throws: UnhandledRequestError.self) {
            try await server.send(.make("GET", "/users/42"))
        }

        #expect(error?.request.path == "/users/42")
    }
}
