import APIKit
import Foundation
import Testing

@testable import APIKitTesting

/// The route that a failure names for a request that no route serves.
@Suite(.inTurn, .timeLimit(.minutes(10))) struct ClosestRouteTests {
    let server = MockServer()

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
            await server.miss(.make("GET", path)) == """
                Unhandled request: GET https://api.example.com\(path.replacing("abc", with: "***"))
                The closest route is \(pattern) (ClosestRouteTests.swift:\(line)):
                  - \(difference)
                """)
    }

    @Test func messageShowsHowTheClosestAlternativeDiffers() async throws {
        server.on(.post("/a").header("X", "1") || .get("/b"), reply: .status(200))

        let text = try #require(await server.miss(.make("POST", "/a?secret=secret")))

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
            await server.miss(.make("GET", "/breeds")) == """
                Unhandled request: GET https://api.example.com/breeds
                No route is close to this request. The routes are:
                  - GET /dogs (ClosestRouteTests.swift:\(line))
                  - DELETE /** (ClosestRouteTests.swift:\(line + 1))
                """)
    }

    @Test func listOfTheRoutesHasALimit() async throws {
        for number in 100..<121 { server.on(.get("/route-\(number)"), reply: .status(200)) }

        let text = try #require(await server.miss(.make("GET", "/")))

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

        let text = try #require(await server.miss(.make("GET", "/dogs")))

        let closest = try #require(patterns.first)
        #expect(text.contains("The closest route is \(closest) ("))
    }

    @Test(arguments: [
        [RequestPattern.post("/dogs").json([1, 2, 3]), .post("/dogs").json([1, 5, 6])],
        // The method counts less than the body.
        [.put("/dogs").json([1, 2, 9]), .post("/dogs").json([1, 5, 6])],
    ])
    func routeWithFewerDifferencesIsCloser(patterns: [RequestPattern]) async throws {
        for pattern in patterns { server.on(pattern, reply: .status(200)) }

        let text = try #require(
            await server.miss(.make("POST", "/dogs", body: Data("[1,2,9]".utf8))))

        let closest = try #require(patterns.first)
        #expect(text.contains("The closest route is \(closest) ("))
    }

    @Test(arguments: [
        (3, "  - json.n[0]: expected 1, got 0"),
        (
            5_000,
            """
              - json.n[5]: expected 6, got nothing
            The body is large, so only 20 of 25 close routes were compared.
            """
        ),
    ])
    func onlyTheLastOfManyRoutesWithALargeBodyAreCompared(count: Int, end: String) async throws {
        let list = Array(0..<count)
        // The first route is the closest.
        for number in 0..<25 {
            server.on(
                .post("/a").json(["list": list, "n": Array(1...(number + 1))]), reply: .status(200))
        }
        let body = try JSONEncoder().encode(["list": list, "n": [0]])

        let text = try #require(await server.miss(.make("POST", "/a", body: body)))

        #expect(text.hasSuffix("\n\(end)"))
    }

    @Test(arguments: [
        ("/dogs", "/dog", true), ("/dogs", "/DOGS", true), ("/dogs", "/dosg", true),
        ("/dogs", "/cogz", true), ("/dogs", "/cats", false),
        ("/dogs", "/", false), ("/", "/dogs", false),
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

        let text = try #require(await server.miss(.make("GET", path)))

        #expect(text.contains("The closest route is") == isClose)
    }

    @Test func routeWithARegularExpressionIsCloseOnlyIfItMatches() async throws {
        server.on(.get() && .path(matching: /\/dogs\/\d+/), reply: .status(200))

        let miss = try #require(await server.miss(.make("GET", "/dogs/rex")))
        #expect(miss.contains("No route is close to this request."))
        #expect(miss.contains("GET /**, path: a whole match of the regular expression ("))
        let close = try #require(await server.miss(.make("PUT", "/dogs/7")))
        #expect(close.contains("The closest route is GET /**, path: a whole match"))
        #expect(close.contains("method: expected GET, got PUT"))
    }
}
