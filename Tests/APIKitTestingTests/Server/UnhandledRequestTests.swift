import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// The tests assert whole messages, because a failed test shows nothing else.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct UnhandledRequestTests {
    let server = MockServer()

    @Test func errorOfAServerOfADetachedTaskNamesTheTask() async {
        let server = await Task.detached { MockServer() }.value

        let error = await server.error(of: .make("GET", "/a"))

        #expect(error?.description.contains("\nIn Swift Testing, make the server in a") == true)
    }

    @Test(.mockServer) func errorOfAVerifiedServerHasNoHint() async throws {
        let error = await MockServer.current.error(of: .make("GET", "/a"))

        #expect(error?.description == MockServer.current.failures.first?.message)
        #expect(error?.request.path == "/a")
        #expect(try await MockServer.current.failuresOfVerification().count == 1)
    }

    @Test(arguments: [
        ("GET", "/users/42", #".get("/users/42")"#), ("PURGE", "/a", #".method("PURGE", "/a")"#),
    ])
    func messageShowsTheRouteToAdd(method: String, path: String, pattern: String) async {
        #expect(
            await server.missBySession(.make(method, path)) == """
                Unhandled request: \(method) https://api.example.com\(path)
                The server has no routes. To reply to this request, add
                  server.on(\(pattern), reply: .json(…))
                """)
    }

    @Test func messageEscapesCharactersThatChangeItsLines() async {
        server.on(.get("/users").header("X-Name", "a"), reply: .status(200))
        let name = "b\u{202E}\u{2028}\u{9B}"

        let message = await server.missBySession(.make("GET", "/users", headers: ["X-Name": name]))

        #expect(message?.contains(#"got "b\u{202E}\u{2028}\u{009B}""#) == true)
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

    @Test func messageShowsOnlySecretsThatTheTestWrote() async throws {
        server.on(
            .post("/a").header("Cookie", "id=expected").query("api_key", "expected")
                .json(["password": "expected"]), reply: .status(200))
        var request = URLRequest.make(
            "POST", "/a?api_key=actual", headers: ["Cookie": "id=actual"],
            body: Data(#"{"password":"actual"}"#.utf8))
        request.setValue("Bearer actual", forHTTPHeaderField: "Authorization")

        let text = try #require(await server.missBySession(request))

        #expect(!text.contains("actual"))
        #expect(text.contains(#"header.cookie: expected "id=expected", got "***""#))
        #expect(text.contains(#"query.api_key: expected "expected", got "***""#))
        #expect(text.contains(#"json.password: expected "expected", got "***""#))
    }

    @Test func messageShowsAReceivedSecretThatTheTestWrote() async throws {
        server.on(.get("/a").header("Authorization", "Bearer old").query("a", "1").query("b", "2"))
        server.on(.get("/a").header("Authorization", "Bearer new"))

        let text = try #require(
            await server.missBySession(.make("GET", "/a", headers: ["Authorization": "Bearer old"]))
        )

        #expect(text.contains(#"header.authorization: expected "Bearer new", got "Bearer old""#))
    }

    @Test(arguments: [
        RequestPattern.get("/b"), .post("/a/*"), !.path("/a/*"), .get("/b") || .get("/c"),
        .request(AnyRequest(.get, "/a;secret=expected")),
    ])
    func messageContainsNoSecretOfAPath(pattern: RequestPattern) async throws {
        let server = MockServer()
        for _ in 1...2 {
            let error = await server.error(of: .make("GET", "/a/x;secret=actual"))

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

        let text = try #require(await server.missBySession(request))

        #expect(!text.contains("hunter2"), "\(text)")
    }

    @Test func shortenedValueContainsNoSecret() async throws {
        let note = #"{"password": "secret", "more": "\#(String(repeating: "x", count: 100_000))"}"#
        let body = try JSONEncoder().encode(["note": note])

        let text = try #require(await server.missBySession(.make("POST", "/", body: body)))

        #expect(text.contains("***"))
        #expect(!text.contains("secret"))
    }

    @Test func messageNamesTheRequestThatWasRedirected() async throws {
        server.on(.post("/login"), reply: .redirect(to: "/hom?secret=abc", status: 303))

        let text = try #require(await server.missBySession(.make("POST", "/login?secret=abc")))

        #expect(
            text.hasPrefix(
                """
                Unhandled request: GET https://api.example.com/hom?secret=*** (redirected from \
                POST /login?secret=***)

                """))
    }

    @Test func messageNamesAnExhaustedRoute() async throws {
        server.on(.get("/a"), reply: .status(200), times: 2); let line = #line
        for _ in 0..<2 { _ = try await server.session.send(.make("GET", "/a")) }

        #expect(
            await server.missBySession(.make("GET", "/a")) == """
                Unhandled request: GET https://api.example.com/a
                The route GET /a (UnhandledRequestTests.swift:\(line)) has already replied twice, its \
                maximum. To allow more, pass times: .atLeast(2), or add another route.
                """)
    }

    @Test func messageNamesTheRouteThatForbidsTheRequest() async {
        server.on(.any, reply: .status(200), times: .anyNumber)
        server.on(.delete(), times: 0); let line = #line

        #expect(
            await server.missBySession(.make("DELETE", "/a")) == """
                Unhandled request: DELETE https://api.example.com/a
                The route DELETE /** (UnhandledRequestTests.swift:\(line)) forbids this request by \
                times: 0. Remove the request, or change the times.
                """)
    }

    @Test(arguments: [UnhandledPolicy.reply(.status(404)), .reply(.passthrough)])
    func forbiddenRequestFailsUnderEachPolicy(policy: UnhandledPolicy) async throws {
        let server = MockServer(unhandled: policy)
        server.on(.delete(), times: 0)

        await #expect(throws: UnhandledRequestError.self) {
            try await server.session.send(.make("DELETE", "/a"))
        }
        #expect(try await server.failuresOfVerification().count == 1)
    }

    @Test func messageNamesTheInvalidRoutes() async {
        server.on(.get("/users?page=2"), reply: .status(200)); let line = #line
        server.on(.get("/dogs"), reply: .status(200))

        let error = await server.error(of: .make("GET", "/users?page=2"))
        #expect(
            error?.description == """
                Unhandled request: GET https://api.example.com/users?page=2
                This request may belong to an invalid route. Correct that first:
                  - UnhandledRequestTests.swift:\(line): A route is invalid: /users?page=2 contains a \
                query. Match it with .query(_:_:)
                \(MockServer.traitHint)
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

        let error = await server.error(of: .make("GET", "/dogs"))
        #expect(
            error?.description == """
                Unhandled request: GET https://api.example.com/dogs
                Another server of this test has a route for it: GET /dogs \
                (UnhandledRequestTests.swift:\(line)). Use the session of that server.
                """)
        #expect(try await server.failuresOfVerification().count == 1)
        #expect(try await other.failuresOfVerification().count == 1)
    }

    @Test(.mockServer) func messageNamesNoRouteOfAReleasedServer() async throws {
        MockServer().on(.get("/dogs"), times: .anyNumber)

        let error = await MockServer.current.error(of: .make("GET", "/dogs"))
        #expect(error?.description.contains("The server has no routes.") == true)
        #expect(try await MockServer.current.failuresOfVerification().count == 1)
    }
}
